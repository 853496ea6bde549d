// RUN: sawtooth-opt %s --amp-link --amp-to-sweep --split-input-file | FileCheck %s

// The design's step: what is declared, and what every op becomes.

!grads  = !amp.tensors<@model x f16>
!master = !amp.tensors<@model x f32>

amp.model @model
amp.scaler @s by @pytorch {init = 1024, growth_interval = 100}
amp.state @w : !master = required
amp.state @h : !grads copy_of @w
amp.per_tensor @decay : f64 over @model ["*.bias" = 0, "*" = 0.01]
amp.optimizer @opt by @adamw over @model {beta1 = 0.8, weight_decay = @decay}

amp.step @train(%g: !grads {amp.scaled_by = [@s]}, %lr: f64 {amp.default = 1.0e-3}, %max: f64) {
  %w = amp.read @w : !master
  %u = amp.unscale %g by @s : !grads -> !master
  %n = amp.norm %u : !master
  %ok = amp.is_finite %u, %n : !master, f64
  %c = amp.clip_by_norm %u, %n max(%max) : !master
  %w1, %o1 = amp.apply @opt(%w, %c) hyper(lr = %lr) : (!master, !master) -> (!master)
  amp.update @s, %ok
  amp.commit %w1 to @w, %o1 to @opt when %ok : !master, !amp.next<@opt>
}
amp.program @epoch { amp.run @train }
amp.run {epochs = 3}

// CHECK:      amp.model @model
// CHECK-NEXT: sweep.scaler @s "pytorch"
// CHECK-DAG:  sweep.field parameter @s.growth : f64 {alias = "growth_factor", init = 2.000000e+00 : f64, scaler = @s}
// CHECK-DAG:  sweep.field parameter @s.growth_interval : i64 {alias = "growth_interval", init = 100 : i64, scaler = @s}
// CHECK-DAG:  sweep.field state @s.scale : f32 role scale {alias = "scale", init = 1.024000e+03 : f32, scaler = @s}
// CHECK-DAG:  sweep.field state @s.tracker : i64 {alias = "_growth_tracker", init = 0 : i64, scaler = @s}
// CHECK-DAG:  sweep.list state @w : !amp.tensors<@model x f32> {init = #amp.required, label = "w"}
// CHECK-DAG:  sweep.list state @h : !amp.tensors<@model x f16> {copy_of = @w, label = "h"}
// CHECK-DAG:  sweep.field parameter @decay : f64 {init = #amp.patterns<"*.bias" = 0.000000e+00 : f64, "*" = 1.000000e-02 : f64>, model = @model}
// CHECK-DAG:  sweep.field parameter @opt.beta1 : f64 {init = 8.000000e-01 : f64}
// CHECK-DAG:  sweep.list state @opt.m : !amp.tensors<@model x f32> {init = 0.000000e+00 : f32, label = "opt.m"}
// CHECK-DAG:  sweep.list state @opt.v : !amp.tensors<@model x f32> {init = 0.000000e+00 : f32, label = "opt.v"}
// CHECK-DAG:  sweep.field state @opt.t : i64 {alias = "step", init = 0 : i64}
// lr is always given, weight_decay is @decay; without amsgrad there is no maximum to keep.
// CHECK-NOT:  @opt.lr
// CHECK-NOT:  @opt.weight_decay
// CHECK-NOT:  @opt.vmax
// CHECK-DAG:  sweep.field counter @train.attempted : i64 {init = 0 : i64}
// CHECK-DAG:  sweep.field counter @train.calibration_skips : i64 {init = 0 : i64}
// CHECK:      sweep.list argument @train.g : !amp.tensors<@model x f16> {label = "g", step = @train}
// CHECK-NOT:  amp.rule
// CHECK:      sweep.step @train(%lr: f64 {amp.default = 1.000000e-03 : f64}, %max: f64) attributes {commits} {
// CHECK:        %[[G:.*]] = sweep.element @train.g : f16
// CHECK:        %[[W:.*]] = sweep.element @w : f32

// Unscaled in f32 by r = f32(1 / f64(S)).
// CHECK:        %[[GF:.*]] = arith.extf %[[G]] : f16 to f32
// CHECK:        %[[S:.*]] = sweep.get @s.scale : f32
// CHECK:        %[[SD:.*]] = arith.extf %[[S]] : f32 to f64
// CHECK:        %[[RD:.*]] = arith.divf %{{.*}}, %[[SD]] : f64
// CHECK:        %[[R:.*]] = arith.truncf %[[RD]] : f64 to f32
// CHECK:        %[[U:.*]] = arith.mulf %[[GF]], %[[R]] : f32

// CHECK:        %[[SQ:.*]] = arith.mulf %[[U]], %[[U]] : f32
// CHECK:        %[[SUM:.*]] = sweep.reduce add %[[SQ]] over step of @model {what = "sum of squares of g"} : f32 -> f64
// CHECK:        %[[N:.*]] = math.sqrt %[[SUM]] : f64

// The finite test looks at bits, of the norm too; the scale must be usable.
// CHECK:        %[[BITS:.*]] = arith.bitcast %[[U]] : f32 to i32
// CHECK:        %[[EXP:.*]] = arith.andi %[[BITS]], %[[MASK:.*]] : i32
// CHECK:        %[[BADG:.*]] = arith.cmpi eq, %[[EXP]], %[[MASK]] : i32
// CHECK:        %[[ANYG:.*]] = sweep.reduce or %[[BADG]] over step of @model {what = "finite check of g"} : i1 -> i1
// CHECK:        arith.bitcast %[[N]] : f64 to i64
// CHECK:        %[[BADN:.*]] = arith.cmpi eq
// CHECK:        %[[ZERO:.*]] = arith.cmpf oeq, %[[R]], %{{.*}} : f32
// CHECK:        %[[BADR:.*]] = arith.cmpi eq
// CHECK:        %[[UNUSABLE:.*]] = arith.ori %[[BADR]], %[[ZERO]] : i1
// CHECK:        %[[OR:.*]] = arith.ori %[[ANYG]], %[[BADN]] : i1
// CHECK:        %[[ANY:.*]] = arith.ori %[[OR]], %[[UNUSABLE]] : i1
// CHECK:        %[[OK:.*]] = arith.xori %[[ANY]], %{{.*}} : i1

// CHECK:        %[[SUMEPS:.*]] = arith.addf %[[N]], %{{.*}} : f64
// CHECK:        %[[QUOT:.*]] = arith.divf %max, %[[SUMEPS]] : f64
// CHECK:        %[[MIN:.*]] = arith.minimumf %[[QUOT]], %{{.*}} : f64
// CHECK:        %[[K:.*]] = arith.truncf %[[MIN]] : f64 to f32
// CHECK:        %[[C:.*]] = arith.mulf %[[U]], %[[K]] : f32

// The rule: parameters are fields, @decay the tensor's, lr the step's value.
// CHECK-DAG:    %[[DECAY:.*]] = sweep.get @decay : f64
// CHECK-DAG:    %[[M:.*]] = sweep.element @opt.m : f32
// CHECK-DAG:    %[[T:.*]] = sweep.get @opt.t : i64
// CHECK:        %[[T1:.*]] = arith.addi %[[T]], %{{.*}} : i64
// CHECK:        arith.mulf %lr, %[[DECAY]] : f64

// CHECK:        sweep.set %{{.*}} to @s.scale : f32
// CHECK:        sweep.store %[[W1:.*]] to @w when %[[OK]] : f32
// CHECK:        %[[H1:.*]] = arith.truncf %[[W1]] : f32 to f16
// CHECK:        sweep.store %[[H1]] to @h when %[[OK]] : f16
// CHECK:        sweep.store %{{.*}} to @opt.m when %[[OK]] : f32
// CHECK:        sweep.store %{{.*}} to @opt.v when %[[OK]] : f32
// CHECK:        sweep.set %[[T1]] to @opt.t when %[[OK]] : i64

// CHECK:        %[[ATTEMPTED:.*]] = sweep.get @train.attempted : i64
// CHECK:        %[[MORE:.*]] = arith.addi %[[ATTEMPTED]], %{{.*}} : i64
// CHECK:        sweep.set %[[MORE]] to @train.attempted : i64
// CHECK:        %[[APPLIED1:.*]] = arith.select %[[OK]], %{{.*}}, %{{.*}} : i64
// CHECK:        sweep.set %[[APPLIED1]] to @train.applied : i64
// CHECK:        sweep.outcome %[[OK]] causes %{{.*}} ["gradient", "norm", "scale"]
// CHECK:      amp.program @epoch
// CHECK:        amp.run @train
// CHECK:      amp.run {epochs = 3 : i64}
