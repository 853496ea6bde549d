// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one contract between compiler, runtime, generated code and artifacts. Plain C data: a plan is
// a single blob of bytes in which every reference is an offset from its start, so the same bytes
// serve the JIT, a shared object and a cache. Whatever changes here changes SAWTOOTH_ABI_VERSION.
#ifndef SAWTOOTH_RUNTIME_ABI_H
#define SAWTOOTH_RUNTIME_ABI_H

#include <stdint.h>

#define SAWTOOTH_ABI_VERSION 3u
#define SAWTOOTH_PLAN_MAGIC 0x4e4c504854574153ull /* "SAWTHPLN" */

// Frozen by the numerics contract (rule 4): elements of a chunk, lanes of a chunk, and lanes of
// every fold in f64.
#define SAWTOOTH_CHUNK 16384
#define SAWTOOTH_LANES 256

// "No such row": an optional reference that is absent.
#define SAWTOOTH_NONE 0xffffffffu

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SawtoothType {
  SAWTOOTH_F16,
  SAWTOOTH_BF16,
  SAWTOOTH_F32,
  SAWTOOTH_F64,
  SAWTOOTH_I1, // one byte, 0 or 1
  SAWTOOTH_I32,
  SAWTOOTH_I64
} SawtoothType;

//===------------------------------------------------------------------------------------------===//
// What generated code sees
//===------------------------------------------------------------------------------------------===//

// One row of work: at most SAWTOOTH_CHUNK elements of one tensor, the first being
// index * SAWTOOTH_CHUNK. Rows are ordered by model, tensor, index.
typedef struct SawtoothChunk {
  uint32_t model, tensor;
  uint64_t index;
} SawtoothChunk;

// A bound model. Tensors are numbered by the byte order of their names.
typedef struct SawtoothModel {
  uint64_t tensors;
  uint64_t firstChunk, chunks; // its rows in the chunk table
  const int64_t *numel;        // elements, by tensor
  const int64_t *rank;         // dimensions, by tensor
  const int64_t *dims;         // SAWTOOTH_MAX_RANK sizes a tensor, the missing ones 1
  const uint64_t *nameHash;    // by tensor; keys the random numbers of initial values
  void *const *const *list;    // list[l][tensor], l the plan's list number; null for other models
  void *const *perTensor;      // perTensor[k][tensor], 8-byte slots, k the field's `offset`
  const uint64_t *firstRow;    // row of a tensor's first chunk, by tensor; tensors + 1 entries
} SawtoothModel;
#define SAWTOOTH_MAX_RANK 8

// Where a GPU tells the host what became of a step, while nobody waits. A row is a SawtoothRingRow,
// then the step's frame, then the state block. The host reads a row that another overwrites as one
// whose sequence has changed.
typedef struct SawtoothDeviceRing {
  uint64_t written;  // rows so far, of all steps
  uint64_t rows;     // capacity, a power of two
  uint64_t rowBytes; // of one row, a multiple of 8
  void *row;         // row 0, in memory of the host that the device can write
} SawtoothDeviceRing;

typedef struct SawtoothRingRow {
  uint64_t sequence; // the row's number + 1, written last; 0 while it is written
  uint64_t step;     // number of the step
} SawtoothRingRow;

// What the kernels of a GPU have beside, in its memory.
typedef struct SawtoothDevice {
  uint32_t *ticket; // by launch of the step: blocks that are done; 0 between launches
  SawtoothDeviceRing *ring;
} SawtoothDevice;

typedef struct SawtoothCtx {
  void *state;                       // the state block: 8-byte slots, SawtoothField::offset
  const void *args;                  // scalar arguments: 8-byte slots, SawtoothArg::offset
  void *frame;                       // what crosses the cuts of one step: 8-byte slots
  void *partials;                    // f64 or i64 [chunk row][SawtoothStep::partials]
  void *arena;                       // temporaries of the forward and backward part
  const SawtoothModel *const *model; // by model number
  const SawtoothChunk *chunk;        // the chunk table of all models
  void *const *tensor;               // tensor arguments, by SawtoothTensorArg::slot
  const SawtoothDevice *device;      // null on a CPU
} SawtoothCtx;

// Every kernel of a GPU takes a `const SawtoothCtx *` in the device's memory and nothing else, so
// that a captured launch can be replayed with other arguments, lists and learning rates.
//
// Every generated function of a CPU. A PASS gets rows [begin, end) of the chunk table, a PARALLEL
// one [begin, end) of its action's `units`, a SCALAR one ignores both.
typedef void SawtoothFunction(const SawtoothCtx *ctx, uint64_t begin, uint64_t end);

//===------------------------------------------------------------------------------------------===//
// The plan. Rows have no padding but fields of that name, which are 0: equal plans are equal bytes.
//===------------------------------------------------------------------------------------------===//

typedef uint32_t SawtoothString; // offset of a NUL-terminated string from the start of the plan

typedef struct SawtoothTable {
  uint64_t offset, count; // from the start of the plan; in rows
} SawtoothTable;

typedef struct SawtoothRange {
  uint32_t first, count; // rows of another table
} SawtoothRange;

// A model. Its tensors' names and shapes come from `tensors` when the step says them (leaf and
// pack ops), else from the first list that is bound.
typedef struct SawtoothModelRow {
  SawtoothString name;
  SawtoothRange tensors; // TensorRow; empty: known when bound
} SawtoothModelRow;

typedef struct SawtoothTensorRow {
  SawtoothString name;
  uint32_t rank;
  int64_t dims[SAWTOOTH_MAX_RANK];
} SawtoothTensorRow;

typedef enum SawtoothListKind {
  SAWTOOTH_LIST_STATE,    // declared in the module, lives across steps
  SAWTOOTH_LIST_ARGUMENT, // bound by the caller, read-only
  SAWTOOTH_LIST_SCRATCH   // owned by the runtime, lives within a step
} SawtoothListKind;

typedef enum SawtoothInitKind {
  SAWTOOTH_INIT_REQUIRED, // must be bound
  SAWTOOTH_INIT_CONSTANT, // `value`
  SAWTOOTH_INIT_CAST,     // the elements of list `source`, converted
  SAWTOOTH_INIT_UNIFORM,  // uniform in [-b, b), b = 1 / sqrt(fan_in); fan_in = numel / last dim
  SAWTOOTH_INIT_NORMAL    // normal with mean 0 and standard deviation `value`
} SawtoothInitKind;

// Initial value of the tensors whose name matches `glob` (`*` crosses dots, `?` one character);
// the first match in row order wins, none is an error.
typedef struct SawtoothInit {
  SawtoothString glob;
  uint32_t kind;   // SawtoothInitKind
  uint32_t source; // list number for CAST
  uint32_t stream; // keys the random numbers: the list's own number among the states
  double value;
} SawtoothInit;

typedef struct SawtoothListRow {
  SawtoothString name; // "w", "opt.m", "g"
  SawtoothString location;
  uint32_t kind; // SawtoothListKind
  uint32_t type; // SawtoothType
  uint32_t model;
  uint32_t step;      // of an argument or scratch list, else SAWTOOTH_NONE
  uint32_t copyOf;    // list number or SAWTOOTH_NONE; unbound, it is the cast of its source
  SawtoothRange init; // Init rows; empty for arguments and scratch
} SawtoothListRow;

typedef enum SawtoothExtent { SAWTOOTH_PER_STEP, SAWTOOTH_PER_TENSOR } SawtoothExtent;

typedef enum SawtoothFieldKind {
  SAWTOOTH_FIELD_STATE,
  SAWTOOTH_FIELD_PARAMETER, // set at run time, written by no step
  SAWTOOTH_FIELD_COUNTER    // attempted, applied, …: one set for each step
} SawtoothFieldKind;

typedef enum SawtoothRole {
  SAWTOOTH_ROLE_NONE,
  SAWTOOTH_ROLE_SCALE,             // the loss scale S
  SAWTOOTH_ROLE_SKIPPED,           // steps that this scaler's flag skipped
  SAWTOOTH_ROLE_CONSECUTIVE_SKIPS, // of them since the last applied one
  SAWTOOTH_ROLE_STUCK              // non-zero: no scale will cure the gradients; tell the user
} SawtoothRole;

// A scalar that outlives a step. Save, load, log, set and dictionaries walk these rows; nothing
// else knows which fields a rule or policy has.
typedef struct SawtoothFieldRow {
  SawtoothString name;  // "s.scale", "opt.t", "opt.beta1", "train.applied"
  SawtoothString alias; // its key in foreign dictionaries ("_growth_tracker"), or the empty string
  SawtoothString location;
  uint32_t type;   // SawtoothType
  uint32_t extent; // SawtoothExtent
  uint32_t kind;   // SawtoothFieldKind
  uint32_t role;   // SawtoothRole
  uint32_t model;  // of a per-tensor field, else SAWTOOTH_NONE
  uint32_t scaler; // ScalerRow that it belongs to, or SAWTOOTH_NONE
  uint32_t pad;
  uint64_t offset;        // per step: bytes into the state block; per tensor: index of perTensor
  uint64_t initial;       // the initial value's bits in an 8-byte slot
  SawtoothRange patterns; // Pattern rows of a per-tensor parameter, else empty
} SawtoothFieldRow;

typedef struct SawtoothPattern {
  SawtoothString glob;
  uint32_t pad;
  uint64_t value; // bits in an 8-byte slot
} SawtoothPattern;

typedef struct SawtoothScalerRow {
  SawtoothString name;   // "s"
  SawtoothString policy; // "pytorch"
} SawtoothScalerRow;

// A scalar argument of a step.
typedef struct SawtoothArgRow {
  SawtoothString name;
  uint32_t type;
  uint32_t hasDefault;
  uint32_t pad;
  uint64_t offset;       // bytes into the step's args block
  uint64_t defaultValue; // bits in an 8-byte slot
} SawtoothArgRow;

// A tensor argument of a step, row-major. With a batch name, dims[0] is the batch size and the
// elements come from `train.NAME` (or `test.NAME` for an evaluation) of the data file.
typedef struct SawtoothTensorArgRow {
  SawtoothString name;
  SawtoothString batch; // or the empty string
  uint32_t type;
  uint32_t rank;
  uint32_t slot; // index of SawtoothCtx::tensor
  uint32_t pad;
  int64_t dims[SAWTOOTH_MAX_RANK];
} SawtoothTensorArgRow;

typedef enum SawtoothReduce {
  SAWTOOTH_REDUCE_LAST,
  SAWTOOTH_REDUCE_MEAN,
  SAWTOOTH_REDUCE_SUM,
  SAWTOOTH_REDUCE_MAX,
  SAWTOOTH_REDUCE_MIN
} SawtoothReduce;

typedef struct SawtoothLogRow {
  SawtoothString key;
  uint32_t type;   // SawtoothType of the slot
  uint32_t reduce; // SawtoothReduce: how an evaluation combines its batches, weighted by examples
  uint32_t pad;
  uint64_t offset; // bytes into the frame
} SawtoothLogRow;

typedef enum SawtoothActionKind {
  SAWTOOTH_PASS,    // once over the chunk rows of `model`
  SAWTOOTH_SCALAR,  // one call
  SAWTOOTH_PARALLEL // [0, units)
} SawtoothActionKind;

typedef struct SawtoothActionRow {
  SawtoothString name; // symbol of the generated function
  uint32_t kind;       // SawtoothActionKind
  uint32_t function;   // index of SawtoothArtifact::functions; SAWTOOTH_NONE on a GPU
  uint32_t model;      // of a PASS, else SAWTOOTH_NONE
  uint32_t flag;       // frame offset of an i1 that must be 1 for it to run, or SAWTOOTH_NONE
  uint32_t results;    // reductions of a PASS
  uint64_t units;      // of a PARALLEL
  SawtoothRange reads, writes; // Access rows of a PASS
  SawtoothRange notes;         // Note rows: results, reasons; what `explain` prints
} SawtoothActionRow;

typedef struct SawtoothAccess {
  uint32_t list;
  uint32_t bytes; // per element
} SawtoothAccess;

typedef struct SawtoothNote {
  SawtoothString kind; // "result", "store", "recompute", "skip", "missed"
  SawtoothString text;
} SawtoothNote;

// One launch of a kernel on a GPU: the actions that it performs, in order. Scalar programs before
// its passes run once in each block, those after them in the block that is done last, which then
// sets the launch's ticket to 0. The grid is one-dimensional; a block takes its share of the work
// by striding over the grid, so any number of blocks, at least one, gives the same bits.
typedef struct SawtoothLaunchRow {
  SawtoothString kernel; // symbol in the image
  uint32_t threads;      // of a block
  uint32_t warpsPerRow;  // warps that share the work on a chunk row of its passes; 0: no pass
  uint32_t pad;
  uint64_t units; // threads with work in a forward part; 0: none
  SawtoothRange actions;
} SawtoothLaunchRow;

// One transaction. Counters are fields named STEP.attempted and so on; the runtime reads the
// flags' slots after the last action and appends a row to the status ring.
typedef struct SawtoothStepRow {
  SawtoothString name;
  uint32_t commits; // 0: an evaluation
  SawtoothRange actions;
  SawtoothRange launches; // of a GPU; they cover the actions in their order. Empty on a CPU
  SawtoothRange args;
  SawtoothRange tensorArgs;
  SawtoothRange logs;
  SawtoothRange causes; // CauseRow: bit i of the causes slot
  SawtoothRange notes;
  uint32_t partials; // reductions of the widest pass
  uint32_t
      perTensorSlots; // arrays of SawtoothModel::perTensor: the fields' (plan), then temporaries
  uint32_t applied;   // frame offset of an i1: every `when` flag held
  uint32_t cause;     // frame offset of an i64 with one bit a cause, or SAWTOOTH_NONE
  uint32_t attemptedField, appliedField, skippedField, consecutiveField, calibrationField;
  uint32_t pad;
  uint64_t frameBytes, argsBytes, arenaBytes;
  uint64_t batch;      // what `?` was specialised to, 0 if there is none
  uint64_t lowerBound; // bytes per parameter no fusion can go below
} SawtoothStepRow;

typedef struct SawtoothCauseRow {
  SawtoothString label;
} SawtoothCauseRow;

// A program: the steps it runs, in order (`repeat` unrolled).
typedef struct SawtoothProgramRow {
  SawtoothString name;
  SawtoothRange steps; // Index rows
} SawtoothProgramRow;

typedef struct SawtoothIndex {
  uint32_t value;
} SawtoothIndex;

// Defaults for `sawtooth run`, from the module's `amp.run`; at most one row.
typedef struct SawtoothRunRow {
  uint64_t batch, epochs, seed; // UINT64_MAX: not said
  uint32_t eval;                // step, or SAWTOOTH_NONE
  uint32_t pad;
} SawtoothRunRow;

// Table name, row type. The order is the order in SawtoothPlan.
#define SAWTOOTH_PLAN_TABLES(X)                                                                    \
  X(models, SawtoothModelRow)                                                                      \
  X(tensors, SawtoothTensorRow)                                                                    \
  X(lists, SawtoothListRow)                                                                        \
  X(inits, SawtoothInit)                                                                           \
  X(fields, SawtoothFieldRow)                                                                      \
  X(patterns, SawtoothPattern)                                                                     \
  X(scalers, SawtoothScalerRow)                                                                    \
  X(steps, SawtoothStepRow)                                                                        \
  X(args, SawtoothArgRow)                                                                          \
  X(tensorArgs, SawtoothTensorArgRow)                                                              \
  X(logs, SawtoothLogRow)                                                                          \
  X(causes, SawtoothCauseRow)                                                                      \
  X(actions, SawtoothActionRow)                                                                    \
  X(launches, SawtoothLaunchRow)                                                                   \
  X(accesses, SawtoothAccess)                                                                      \
  X(notes, SawtoothNote)                                                                           \
  X(programs, SawtoothProgramRow)                                                                  \
  X(indices, SawtoothIndex)                                                                        \
  X(runs, SawtoothRunRow)

typedef struct SawtoothPlan {
  uint64_t magic;
  uint32_t abi;
  uint32_t headerBytes; // sizeof(SawtoothPlan)
  uint64_t bytes;       // of the whole blob
  uint64_t stateBytes;  // of the state block
  SawtoothString target, source;
  uint32_t perTensorFields; // per-tensor fields of the module: the first arrays of perTensor
  uint32_t pad;
#define SAWTOOTH_PLAN_TABLE(name, row) SawtoothTable name;
  SAWTOOTH_PLAN_TABLES(SAWTOOTH_PLAN_TABLE)
#undef SAWTOOTH_PLAN_TABLE
} SawtoothPlan;

typedef enum SawtoothImageKind {
  SAWTOOTH_IMAGE_PTX,  // text with its NUL, for the chip and all that are newer
  SAWTOOTH_IMAGE_CUBIN // for chips of the same major and at least the same minor version
} SawtoothImageKind;

// Code for a GPU. A suffix ('a' or 'f' as in sm_90a) ties even PTX to one chip or family.
typedef struct SawtoothImage {
  uint32_t kind;   // SawtoothImageKind
  uint32_t chip;   // 10 * major + minor compute capability: 90 for sm_90
  uint32_t suffix; // 'a', 'f' or 0
  uint32_t ptx;    // 10 * major + minor version of PTX that the driver must know: 78 for 7.8
  uint64_t bytes;
  const void *data;
} SawtoothImage;

// What a compiled module hands out: functions for a CPU, or images for a GPU.
typedef struct SawtoothArtifact {
  uint32_t abi;
  uint32_t functionCount;
  const SawtoothPlan *plan;
  SawtoothFunction *const *functions;
  uint64_t imageCount;
  const SawtoothImage *images;
} SawtoothArtifact;

// Exported by every artifact under the name `sawtooth_query`; null when `abi` is not its own.
typedef const SawtoothArtifact *SawtoothQuery(uint32_t abi);

#ifdef __cplusplus
} // extern "C"

static_assert(sizeof(SawtoothChunk) == 16, "frozen");
static_assert(sizeof(SawtoothModel) == 80, "frozen");
static_assert(sizeof(SawtoothCtx) == 72, "frozen");
static_assert(sizeof(SawtoothDeviceRing) == 32, "frozen");
static_assert(sizeof(SawtoothImage) == 32, "frozen");
#endif

#endif // SAWTOOTH_RUNTIME_ABI_H
