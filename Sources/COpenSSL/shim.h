#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

// `BIO_get_mem_data` is a macro, which Swift cannot call.
static inline long copenssl_memory_of_bio(BIO *bio, const unsigned char **start) {
  return BIO_get_mem_data(bio, (char **)start);
}
#endif
