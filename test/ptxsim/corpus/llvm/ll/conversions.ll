; ModuleID = 'kernels.c'
source_filename = "kernels.c"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local ptx_kernel void @k(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul nuw nsw i32 %4, %5
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add nuw nsw i32 %6, %7
  %9 = icmp ult i32 %8, %2
  br i1 %9, label %10, label %58

10:                                               ; preds = %3
  %11 = zext nneg i32 %8 to i64
  %12 = getelementptr inbounds nuw float, ptr %0, i64 %11
  %13 = load float, ptr %12, align 4, !tbaa !7
  %14 = fptosi float %13 to i32
  %15 = sitofp i32 %14 to double
  %16 = tail call float @llvm.fabs.f32(float %13)
  %17 = fptoui float %16 to i32
  %18 = uitofp i32 %17 to double
  %19 = fmul double %18, 5.000000e-01
  %20 = fadd double %19, %15
  %21 = fmul float %13, 1.000000e+03
  %22 = fptosi float %21 to i64
  %23 = sitofp i64 %22 to double
  %24 = fptrunc float %13 to half
  %25 = fpext half %24 to double
  %26 = fadd double %25, %23
  %27 = fptrunc float %13 to bfloat
  %28 = fpext bfloat %27 to double
  %29 = fadd double %26, %28
  %30 = fadd double %20, %29
  %31 = tail call float @llvm.floor.f32(float %13)
  %32 = tail call float @llvm.ceil.f32(float %13)
  %33 = fadd float %31, %32
  %34 = tail call float @llvm.trunc.f32(float %13)
  %35 = fadd float %34, %33
  %36 = tail call float @llvm.rint.f32(float %13)
  %37 = fadd float %36, %35
  %38 = fpext float %37 to double
  %39 = fadd double %30, %38
  %40 = fmul float %13, 3.000000e+00
  %41 = fptosi float %40 to i64
  %42 = sitofp i64 %41 to double
  %43 = fpext float %16 to double
  %44 = tail call double @llvm.sqrt.f64(double %43)
  %45 = fadd double %44, %42
  %46 = fadd double %45, %39
  %47 = tail call float @llvm.copysign.f32(float 2.000000e+00, float %13)
  %48 = fpext float %47 to double
  %49 = tail call float @llvm.maxnum.f32(float %13, float 2.500000e-01)
  %50 = fpext float %49 to double
  %51 = fadd double %48, %50
  %52 = tail call float @llvm.minnum.f32(float %13, float -2.500000e-01)
  %53 = fpext float %52 to double
  %54 = fsub double %53, %51
  %55 = fadd double %54, %46
  %56 = fdiv double %55, 3.000000e+00
  %57 = getelementptr inbounds nuw double, ptr %1, i64 %11
  store double %56, ptr %57, align 8, !tbaa !9
  br label %58

58:                                               ; preds = %3, %10
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fabs.f32(float) #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.floor.f32(float) #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.ceil.f32(float) #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.trunc.f32(float) #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.rint.f32(float) #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.sqrt.f64(double) #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.copysign.f32(float, float) #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.maxnum.f32(float, float) #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.minnum.f32(float, float) #2

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.module.flags = !{!0, !1}
!llvm.errno.tbaa = !{!3}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!3 = !{!4, !4, i64 0}
!4 = !{!"int", !5, i64 0}
!5 = !{!"omnipotent char", !6, i64 0}
!6 = !{!"Simple C/C++ TBAA"}
!7 = !{!8, !8, i64 0}
!8 = !{!"float", !5, i64 0}
!9 = !{!10, !10, i64 0}
!10 = !{!"double", !5, i64 0}
