package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/goptxas/goptxas/internal/driver"
)

// TokenVariable names the environment variable with the token of the server.
const TokenVariable = "GOPTXAS_SERVER_TOKEN"

// dialTime is how long a client waits for a connection: who has no server
// compiles by himself.
const dialTime = 2 * time.Second

// maxAnswer bounds the bytes of an answer.
const maxAnswer = 1 << 30

// Compile asks the server to compile; it is a driver.Remote. An error means
// that the server did not: it cannot be reached, is busy, or failed.
func Compile(ctx context.Context, server string, args []string, texts []driver.Text) (cubin []byte, log string, ok bool, err error) {
	o := Order{Args: args}
	for _, t := range texts {
		o.Inputs = append(o.Inputs, Input{Name: t.Name, Data: t.Text})
	}
	body, err := json.Marshal(&o)
	if err != nil {
		return nil, "", false, err
	}
	data, err := post(ctx, server, os.Getenv(TokenVariable), body)
	if err != nil {
		return nil, "", false, err
	}
	var r Result
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, "", false, err
	}
	return r.Cubin, r.Log, r.OK, nil
}

// post sends an order and returns the body of a good answer.
func post(ctx context.Context, server, token string, body []byte) ([]byte, error) {
	at, err := split(server)
	if err != nil {
		return nil, err
	}
	c, err := dial(at, dialTime)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	stop := context.AfterFunc(ctx, func() { c.SetDeadline(time.Now()) })
	defer stop()
	head := "POST " + compilePath + " HTTP/1.1\r\nHost: goptxas\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n"
	if token != "" {
		head += "Authorization: Bearer " + token + "\r\n"
	}
	if _, err := c.Write(append([]byte(head+"\r\n"), body...)); err != nil {
		return nil, err
	}
	r := bufio.NewReaderSize(c, maxLine)
	first, header, err := readHead(r)
	if err != nil {
		return nil, err
	}
	part := strings.SplitN(first, " ", 3)
	n, err := strconv.ParseInt(header["content-length"], 10, 64)
	if len(part) < 2 || err != nil || n < 0 || n > maxAnswer {
		return nil, fmt.Errorf("the server's answer cannot be read")
	}
	data := make([]byte, n)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, err
	}
	if part[1] != "200" {
		return nil, fmt.Errorf("the server answered %s: %s", part[1], data)
	}
	return data, nil
}
