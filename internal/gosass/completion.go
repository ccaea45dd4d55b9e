package gosass

import (
	"fmt"
	"strings"

	"github.com/goptxas/goptxas/internal/driver/cli"
)

// Completion returns a script that completes the words of both programs in a
// shell, made from the tables of options.
func Completion(shell string) (string, error) {
	switch shell {
	case "bash":
		return bashCompletion(), nil
	case "zsh":
		return "#compdef goptxas gosass\nautoload -U +X bashcompinit && bashcompinit\n" + bashCompletion(), nil
	case "fish":
		return fishCompletion(), nil
	}
	return "", &usageError{"completion knows bash, zsh and fish"}
}

// spelled returns an option as it is typed.
func spelled(o *cli.Option) []string {
	names := []string{"--" + o.Long}
	if o.Short != "" {
		names = append(names, "-"+o.Short)
	}
	return names
}

func bashCompletion() string {
	var b strings.Builder
	b.WriteString("# completion of goptxas and gosass\n_goptxas() {\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n\t[ \"$prev\" = \"=\" ] && prev=${COMP_WORDS[COMP_CWORD-2]}\n\t[ \"$cur\" = \"=\" ] && cur=\n\tcase $prev in\n")
	var words []string
	for i := range cli.Table {
		o := &cli.Table[i]
		words = append(words, spelled(o)...)
		if values := o.Choices(); len(values) > 0 {
			fmt.Fprintf(&b, "\t%s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n", strings.Join(spelled(o), "|"), strings.Join(values, " "))
		}
	}
	fmt.Fprintf(&b, "\tesac\n\tcase $cur in\n\t-*) COMPREPLY=($(compgen -W '%s' -- \"$cur\")) ;;\n\t*) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n\tesac\n}\n", strings.Join(words, " "))
	b.WriteString("_gosass() {\n\tlocal cur=${COMP_WORDS[COMP_CWORD]}\n\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n")
	var names []string
	for i := range Commands {
		names = append(names, Commands[i].Name)
	}
	fmt.Fprintf(&b, "\t\tCOMPREPLY=($(compgen -W '%s' -- \"$cur\"))\n\t\treturn\n\tfi\n\tlocal flags=\n\tcase ${COMP_WORDS[1]} in\n", strings.Join(names, " "))
	for i := range Commands {
		var flags []string
		for _, f := range Commands[i].Flags {
			flags = append(flags, "-"+f.Name)
		}
		if len(flags) == 0 && strings.Contains(Commands[i].Args, "|") {
			flags = strings.Split(Commands[i].Args, "|")
			fmt.Fprintf(&b, "\t%s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n", Commands[i].Name, strings.Join(flags, " "))
			continue
		}
		fmt.Fprintf(&b, "\t%s) flags='%s' ;;\n", Commands[i].Name, strings.Join(flags, " "))
	}
	b.WriteString("\tesac\n\tcase $cur in\n\t-*) COMPREPLY=($(compgen -W \"$flags\" -- \"$cur\")) ;;\n\t*) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n\tesac\n}\ncomplete -o filenames -F _goptxas goptxas\ncomplete -o filenames -F _gosass gosass\n")
	return b.String()
}

func fishCompletion() string {
	var b strings.Builder
	quote := func(s string) string { return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'" }
	for i := range cli.Table {
		o := &cli.Table[i]
		fmt.Fprintf(&b, "complete -c goptxas -l %s", o.Long)
		switch {
		case len(o.Short) == 1:
			fmt.Fprintf(&b, " -s %s", o.Short)
		case o.Short != "":
			fmt.Fprintf(&b, " -o %s", o.Short)
		}
		if values := o.Choices(); len(values) > 0 {
			fmt.Fprintf(&b, " -xa %s", quote(strings.Join(values, " ")))
		} else if o.Kind != cli.Flag {
			b.WriteString(" -r")
		}
		fmt.Fprintf(&b, " -d %s\n", quote(o.Help))
	}
	for i := range Commands {
		c := &Commands[i]
		fmt.Fprintf(&b, "complete -c gosass -n __fish_use_subcommand -a %s -d %s\n", c.Name, quote(c.Help))
		for _, f := range c.Flags {
			fmt.Fprintf(&b, "complete -c gosass -n '__fish_seen_subcommand_from %s' -o %s -d %s\n", c.Name, f.Name, quote(f.Help))
		}
	}
	return b.String()
}

// Man returns the manual page of one of the programs.
func Man(program string) (string, error) {
	var b strings.Builder
	esc := strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`)
	head := func(what string) {
		fmt.Fprintf(&b, ".TH %s 1 \"\" \"goptxas %s\"\n.SH NAME\n%s \\- %s\n", strings.ToUpper(program), cli.OwnVersion, program, what)
	}
	item := func(name, help string) { fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", esc.Replace(name), esc.Replace(help)) }
	switch program {
	case "goptxas":
		head("compile PTX to cubins for NVIDIA GPUs")
		b.WriteString(".SH SYNOPSIS\n.B goptxas\n[options] file.ptx ...\n.br\n.B goptxas lsp\n[options]\n.SH DESCRIPTION\nCompiles PTX to a cubin. Several inputs become one module; \\- reads standard input. The command line is that of ptxas.\n")
		for g, title := range cli.GroupTitles() {
			fmt.Fprintf(&b, ".SH %s\n", strings.ToUpper(title))
			for i := range cli.Table {
				o := &cli.Table[i]
				if int(o.Group) != g {
					continue
				}
				name := strings.Join(spelled(o), ", ")
				if o.Arg != "" {
					name += " " + o.Arg
				}
				help := o.Help
				if o.Default != "" {
					help += " Default: " + o.Default + "."
				}
				item(name, help)
			}
		}
		b.WriteString(".SH EXIT STATUS\n0 on success, 255 on failure; a signal ends the program by itself.\n.SH SEE ALSO\n.BR gosass (1)\n")
	case "gosass":
		head("look at cubins and PTX")
		b.WriteString(".SH SYNOPSIS\n.B gosass\ncommand [flags] file ...\n")
		for i := range Commands {
			c := &Commands[i]
			fmt.Fprintf(&b, ".SH %s\n.B gosass %s\n%s\n.PP\n%s\n", strings.ToUpper(c.Name), c.Name, esc.Replace(c.Args), esc.Replace(c.Help))
			for _, f := range c.Flags {
				item(strings.TrimSpace("-"+f.Name+" "+f.Arg), f.Help)
			}
		}
		b.WriteString(".SH EXIT STATUS\n0 on success, 1 where files differ, 2 for a wrong command line, 3 on failure.\n.SH SEE ALSO\n.BR goptxas (1)\n")
	default:
		return "", &usageError{"man knows goptxas and gosass"}
	}
	return b.String(), nil
}
