// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The end of an artifact file. docs/artifact.md describes the whole file. Plain C data, as Abi.h.
#ifndef SAWTOOTH_RUNTIME_ARTIFACTFORMAT_H
#define SAWTOOTH_RUNTIME_ARTIFACTFORMAT_H

#include <stdint.h>

#define SAWTOOTH_ARTIFACT_MAGIC 0x5452414854574153ull /* "SAWTHART", the last bytes of the file */
#define SAWTOOTH_ARTIFACT_FORMAT 1u

// The last bytes of the file, little-endian. What comes before: the ELF shared object, then the
// info text. At the end and not at the start, because the file has to begin as ELF does.
typedef struct SawtoothArtifactFooter {
  uint64_t imageBytes;  // of the ELF shared object, from the start of the file
  uint64_t infoBytes;   // of the info text
  uint64_t fileBytes;   // of everything, this footer too
  uint32_t format;      // SAWTOOTH_ARTIFACT_FORMAT
  uint32_t abi;         // SAWTOOTH_ABI_VERSION of the code and its plans
  uint64_t checksum[2]; // XXH3-128 with seed 0 of every byte before it; the low half first
  uint64_t magic;       // SAWTOOTH_ARTIFACT_MAGIC
} SawtoothArtifactFooter;

#ifdef __cplusplus
static_assert(sizeof(SawtoothArtifactFooter) == 56, "frozen");
#endif

#endif // SAWTOOTH_RUNTIME_ARTIFACTFORMAT_H
