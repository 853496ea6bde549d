// A user's own rule, through an import of an import.
amp.import "nested/halving-rule.mlir"
amp.import "halving.mlir"
