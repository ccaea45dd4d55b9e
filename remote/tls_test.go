package remote

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

// certificate makes one that signs itself and writes it and its key to files.
func certificate(t *testing.T, name string) (cert, key string, pair tls.Certificate) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	x := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, x, x, &secret.PublicKey, secret)
	if err != nil {
		t.Fatal(err)
	}
	bytes, err := x509.MarshalECPrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	certPEM, keyPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: bytes})
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert"), filepath.Join(dir, "key")
	for name, data := range map[string][]byte{cert: certPEM, key: keyPEM} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if pair, err = tls.X509KeyPair(certPEM, keyPEM); err != nil {
		t.Fatal(err)
	}
	return cert, key, pair
}

// TestTLS talks to a server that shows a certificate and asks for ours.
func TestTLS(t *testing.T) {
	serverCert, _, server := certificate(t, "server")
	clientCert, clientKey, _ := certificate(t, "client")
	otherCert, otherKey, _ := certificate(t, "other")
	pool := x509.NewCertPool()
	data, err := os.ReadFile(clientCert)
	if err != nil || !pool.AppendCertsFromPEM(data) {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := grpc.NewServer(grpc.Creds(credentials.NewTLS(&tls.Config{Certificates: []tls.Certificate{server}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool})))
	repb.RegisterCapabilitiesServer(g, &fake{})
	go g.Serve(l)
	defer g.Stop()
	for _, x := range []struct {
		name          string
		ca, cert, key string
		ok            bool
	}{
		{"both", serverCert, clientCert, clientKey, true},
		{"none of ours", serverCert, "", "", false},
		{"another of ours", serverCert, otherCert, otherKey, false},
		{"another of the server's", otherCert, clientCert, clientKey, false},
		{"no file", serverCert, "nowhere", "nowhere", false},
	} {
		c, err := Dial(context.Background(), Options{Address: "grpcs://" + l.Addr().String(), CA: x.ca, Cert: x.cert, Key: x.key, Timeout: 2 * time.Second, Retries: 1})
		if (err == nil) != x.ok {
			t.Errorf("%s: %v", x.name, err)
		}
		if err == nil {
			c.Close()
		}
	}
}
