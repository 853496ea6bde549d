; ModuleID = 'kernels.c'
source_filename = "kernels.c"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local ptx_kernel void @k(ptr noalias noundef readonly captures(none) %0, ptr noalias noundef writeonly captures(none) %1, i32 noundef %2, i64 noundef %3) local_unnamed_addr #0 {
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %7 = mul nuw nsw i32 %5, %6
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %9 = add nuw nsw i32 %7, %8
  %10 = icmp ult i32 %9, %2
  br i1 %10, label %11, label %122

11:                                               ; preds = %4
  %12 = trunc i64 %3 to i32
  %13 = lshr i64 %3, 32
  %14 = zext nneg i32 %9 to i64
  %15 = mul nuw nsw i64 %14, 3528531795
  %16 = xor i64 %15, %3
  %17 = lshr i64 %16, 32
  %18 = add i64 %3, 2654435769
  %19 = add nuw nsw i64 %13, 3144134277
  %20 = and i64 %3, 4294967295
  %21 = mul nuw i64 %20, 3528531795
  %22 = mul nuw i64 %17, 3449720151
  %23 = lshr i64 %22, 32
  %24 = lshr i64 %21, 32
  %25 = xor i64 %24, %19
  %26 = xor i64 %25, %15
  %27 = add i64 %3, 1013904242
  %28 = add nuw nsw i64 %13, 1993301258
  %29 = and i64 %18, 4294967295
  %30 = xor i64 %29, %23
  %31 = mul nuw i64 %30, 3528531795
  %32 = and i64 %26, 4294967295
  %33 = mul nuw i64 %32, 3449720151
  %34 = lshr i64 %33, 32
  %35 = xor i64 %34, %27
  %36 = xor i64 %35, %22
  %37 = lshr i64 %31, 32
  %38 = xor i64 %37, %28
  %39 = xor i64 %38, %21
  %40 = add i64 %3, 3668340011
  %41 = add nuw nsw i64 %13, 842468239
  %42 = and i64 %36, 4294967295
  %43 = mul nuw i64 %42, 3528531795
  %44 = and i64 %39, 4294967295
  %45 = mul nuw i64 %44, 3449720151
  %46 = lshr i64 %45, 32
  %47 = xor i64 %46, %40
  %48 = xor i64 %47, %33
  %49 = lshr i64 %43, 32
  %50 = xor i64 %49, %41
  %51 = xor i64 %50, %31
  %52 = add i64 %3, 2027808484
  %53 = add nuw nsw i64 %13, 3986602516
  %54 = and i64 %48, 4294967295
  %55 = mul nuw i64 %54, 3528531795
  %56 = and i64 %51, 4294967295
  %57 = mul nuw i64 %56, 3449720151
  %58 = lshr i64 %57, 32
  %59 = xor i64 %58, %52
  %60 = xor i64 %59, %45
  %61 = lshr i64 %55, 32
  %62 = xor i64 %61, %53
  %63 = xor i64 %62, %43
  %64 = add i64 %3, 387276957
  %65 = add nuw nsw i64 %13, 2835769497
  %66 = and i64 %60, 4294967295
  %67 = mul nuw i64 %66, 3528531795
  %68 = and i64 %63, 4294967295
  %69 = mul nuw i64 %68, 3449720151
  %70 = lshr i64 %69, 32
  %71 = xor i64 %70, %64
  %72 = xor i64 %71, %57
  %73 = lshr i64 %67, 32
  %74 = xor i64 %73, %65
  %75 = xor i64 %74, %55
  %76 = add i64 %3, 3041712726
  %77 = add nuw nsw i64 %13, 1684936478
  %78 = and i64 %72, 4294967295
  %79 = mul nuw i64 %78, 3528531795
  %80 = and i64 %75, 4294967295
  %81 = mul nuw i64 %80, 3449720151
  %82 = lshr i64 %81, 32
  %83 = xor i64 %82, %76
  %84 = xor i64 %83, %69
  %85 = lshr i64 %79, 32
  %86 = xor i64 %85, %77
  %87 = xor i64 %86, %67
  %88 = add i64 %3, 1401181199
  %89 = add nuw nsw i64 %13, 534103459
  %90 = and i64 %84, 4294967295
  %91 = mul nuw i64 %90, 3528531795
  %92 = and i64 %87, 4294967295
  %93 = mul nuw i64 %92, 3449720151
  %94 = lshr i64 %93, 32
  %95 = xor i64 %94, %88
  %96 = xor i64 %95, %81
  %97 = lshr i64 %91, 32
  %98 = xor i64 %97, %89
  %99 = xor i64 %98, %79
  %100 = add nuw nsw i64 %13, 3678237736
  %101 = and i64 %96, 4294967295
  %102 = mul nuw i64 %101, 3528531795
  %103 = trunc i64 %99 to i32
  %104 = mul i32 %103, 36183
  %105 = lshr i64 %102, 32
  %106 = xor i64 %105, %100
  %107 = xor i64 %106, %91
  %108 = add i32 %12, 18305
  %109 = and i64 %107, 4294967295
  %110 = mul nuw i64 %109, 3449720151
  %111 = lshr i64 %110, 32
  %112 = trunc nuw i64 %111 to i32
  %113 = xor i32 %104, %112
  %114 = xor i32 %113, %108
  %115 = getelementptr inbounds nuw float, ptr %0, i64 %14
  %116 = load i32, ptr %115, align 4, !tbaa !7
  %117 = and i32 %114, 65535
  %118 = add i32 %116, %117
  %119 = lshr i32 %118, 16
  %120 = trunc nuw i32 %119 to i16
  %121 = getelementptr inbounds nuw i16, ptr %1, i64 %14
  store i16 %120, ptr %121, align 2, !tbaa !8
  br label %122

122:                                              ; preds = %4, %11
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.module.flags = !{!0, !1}
!llvm.errno.tbaa = !{!3}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!3 = !{!4, !4, i64 0}
!4 = !{!"int", !5, i64 0}
!5 = !{!"omnipotent char", !6, i64 0}
!6 = !{!"Simple C/C++ TBAA"}
!7 = !{!5, !5, i64 0}
!8 = !{!9, !9, i64 0}
!9 = !{!"short", !5, i64 0}
