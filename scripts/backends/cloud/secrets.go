package main

import (
	"crypto/aes"
	stdcipher "crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"maps"
	"net/http"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
)

// cipher encrypts what the service keeps secret, with a key of this process.
type cipher struct{ aead stdcipher.AEAD }

func newCipher() cipher {
	key := make([]byte, 32)
	_, err := rand.Read(key)
	must(err)
	block, err := aes.NewCipher(key)
	must(err)
	aead, err := stdcipher.NewGCM(block)
	must(err)
	return cipher{aead}
}

// encrypt encrypts a value for one stack: no other one can decrypt it.
func (c cipher) encrypt(stack *stack, plaintext []byte) []byte {
	nonce := make([]byte, c.aead.NonceSize())
	_, err := rand.Read(nonce)
	must(err)
	return c.aead.Seal(nonce, nonce, plaintext, stack.name.bytes())
}

func (c cipher) decrypt(stack *stack, ciphertext []byte) ([]byte, error) {
	size := min(len(ciphertext), c.aead.NonceSize())
	plaintext, err := c.aead.Open(nil, ciphertext[:size], ciphertext[size:], stack.name.bytes())
	if err != nil {
		return nil, problem(http.StatusBadRequest, "Bad Request: Invalid ciphertext")
	}
	return plaintext, nil
}

func (n stackName) bytes() []byte { return []byte(n.organization + "/" + n.project + "/" + n.stack) }

func (s *server) addSecretRoutes() {
	s.handle("POST"+ofStack+"/encrypt", reads, func(call *call) (any, error) {
		body, err := read[apitype.EncryptValueRequest](call)
		return apitype.EncryptValueResponse{Ciphertext: s.cipher.encrypt(call.stack, body.Plaintext)}, err
	})
	s.handle("POST"+ofStack+"/batch-encrypt", reads, func(call *call) (any, error) {
		body, err := read[apitype.BatchEncryptRequest](call)
		var ciphertexts [][]byte
		for _, plaintext := range body.Plaintexts {
			ciphertexts = append(ciphertexts, s.cipher.encrypt(call.stack, plaintext))
		}
		return apitype.BatchEncryptResponse{Ciphertexts: ciphertexts}, err
	})
	s.handle("POST"+ofStack+"/decrypt", reads, func(call *call) (any, error) {
		body, err := read[apitype.DecryptValueRequest](call)
		if err != nil {
			return nil, err
		}
		plaintext, err := s.cipher.decrypt(call.stack, body.Ciphertext)
		return apitype.DecryptValueResponse{Plaintext: plaintext}, err
	})
	s.handle("POST"+ofStack+"/batch-decrypt", reads, func(call *call) (any, error) {
		body, err := read[apitype.BatchDecryptRequest](call)
		if err != nil {
			return nil, err
		}
		plaintexts := map[string][]byte{}
		for _, ciphertext := range body.Ciphertexts {
			plaintext, err := s.cipher.decrypt(call.stack, ciphertext)
			if err != nil {
				return nil, err
			}
			plaintexts[base64.StdEncoding.EncodeToString(ciphertext)] = plaintext
		}
		return apitype.BatchDecryptResponse{Plaintexts: plaintexts}, nil
	})
	s.handle("POST"+ofStack+"/decrypt/log-decryption", reads, accept)
	s.handle("POST"+ofStack+"/decrypt/log-batch-decryption", reads, accept)
}

func hashOf(text string) string {
	hash := sha256.Sum256([]byte(text))
	return hex.EncodeToString(hash[:])
}

func sortedKeys[Value any](values map[int64]Value) []int64 { return slices.Sorted(maps.Keys(values)) }

// must ends the server if something fails that cannot.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
