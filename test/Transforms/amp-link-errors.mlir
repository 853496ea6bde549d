// RUN: sawtooth-opt %s --amp-link -split-input-file -verify-diagnostics

amp.model @model
// expected-error @below {{expected the name of an optimizer rule, got @adamv; did you mean @adam?}}
// expected-note @below {{there is @adam, @adamw, @lamb, @lion, @sgd}}
amp.optimizer @opt by @adamv over @model

// -----

// expected-error @below {{expected the name of a policy rule, got @something}}
// expected-note @below {{there is @disabled, @pytorch, @static}}
amp.scaler @s by @something

// -----

amp.step @train(%x: tensor<4x2xf32>) {
  // expected-error @below {{expected the name of a layer, got @conv}}
  // expected-note @below {{there is}}
  %y = amp.call @conv(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
}

// -----

// expected-error-re @below {{cannot read '{{.*}}Inputs/absent.mlir': No such file or directory}}
amp.import "Inputs/absent.mlir"

// -----

// expected-error-re @below {{cannot read '{{.*}}Inputs': is a directory}}
amp.import "Inputs"

// -----

// expected-error @below {{cannot read '/dev/zero': is no regular file}}
amp.import "/dev/zero"

// -----

amp.model @model
// expected-error @below {{expected declarations and steps in one module, got a module within it}}
module {
  amp.state @k : i64 = 0
}
