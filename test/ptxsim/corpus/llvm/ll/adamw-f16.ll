; ModuleID = 'kernels.c'
source_filename = "kernels.c"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.Adam = type { float, float, float, float, float, float, float }

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @k(ptr noalias noundef captures(none) %0, ptr noalias noundef readonly captures(none) %1, ptr noalias noundef captures(none) %2, ptr noalias noundef captures(none) %3, i32 noundef %4, ptr noundef readonly byval(%struct.Adam) align 4 captures(none) %5) local_unnamed_addr #0 {
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %9 = mul nuw nsw i32 %7, %8
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %11 = add nuw nsw i32 %9, %10
  %12 = icmp ult i32 %11, %4
  br i1 %12, label %13, label %31

13:                                               ; preds = %6
  %14 = getelementptr inbounds nuw i8, ptr %5, i64 4
  %15 = load float, ptr %14, align 4, !tbaa !7
  %16 = fsub float 1.000000e+00, %15
  %17 = getelementptr inbounds nuw i8, ptr %5, i64 8
  %18 = load float, ptr %17, align 4, !tbaa !10
  %19 = fsub float 1.000000e+00, %18
  %20 = getelementptr inbounds nuw i8, ptr %5, i64 20
  %21 = load float, ptr %20, align 4, !tbaa !11
  %22 = getelementptr inbounds nuw i8, ptr %5, i64 24
  %23 = load float, ptr %22, align 4, !tbaa !12
  %24 = getelementptr inbounds nuw i8, ptr %5, i64 12
  %25 = load float, ptr %24, align 4, !tbaa !13
  %26 = load float, ptr %5, align 4, !tbaa !14
  %27 = getelementptr inbounds nuw i8, ptr %5, i64 16
  %28 = load float, ptr %27, align 4, !tbaa !15
  %29 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %30 = mul nuw nsw i32 %29, %8
  br label %32

31:                                               ; preds = %32, %6
  ret void

32:                                               ; preds = %13, %32
  %33 = phi i32 [ %11, %13 ], [ %60, %32 ]
  %34 = zext i32 %33 to i64
  %35 = getelementptr inbounds nuw float, ptr %0, i64 %34
  %36 = load float, ptr %35, align 4, !tbaa !16
  %37 = getelementptr inbounds nuw half, ptr %1, i64 %34
  %38 = load half, ptr %37, align 2, !tbaa !17
  %39 = fpext half %38 to float
  %40 = getelementptr inbounds nuw float, ptr %2, i64 %34
  %41 = getelementptr inbounds nuw float, ptr %3, i64 %34
  %42 = load float, ptr %40, align 4, !tbaa !16
  %43 = fmul float %15, %42
  %44 = fmul float %16, %39
  %45 = fadd float %43, %44
  %46 = load float, ptr %41, align 4, !tbaa !16
  %47 = fmul float %18, %46
  %48 = fmul float %39, %39
  %49 = fmul float %48, %19
  %50 = fadd float %47, %49
  store float %45, ptr %40, align 4, !tbaa !16
  store float %50, ptr %41, align 4, !tbaa !16
  %51 = fdiv float %45, %21
  %52 = fdiv float %50, %23
  %53 = tail call float @llvm.sqrt.f32(float %52)
  %54 = fadd float %25, %53
  %55 = fdiv float %51, %54
  %56 = fmul float %36, %28
  %57 = fadd float %55, %56
  %58 = fmul float %26, %57
  %59 = fsub float %36, %58
  store float %59, ptr %35, align 4, !tbaa !16
  %60 = add i32 %33, %30
  %61 = icmp ult i32 %60, %4
  br i1 %61, label %32, label %31, !llvm.loop !19
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, -2147483648) i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #1

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.sqrt.f32(float) #2

attributes #0 = { nofree norecurse nosync nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
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
!7 = !{!8, !9, i64 4}
!8 = !{!"Adam", !9, i64 0, !9, i64 4, !9, i64 8, !9, i64 12, !9, i64 16, !9, i64 20, !9, i64 24}
!9 = !{!"float", !5, i64 0}
!10 = !{!8, !9, i64 8}
!11 = !{!8, !9, i64 20}
!12 = !{!8, !9, i64 24}
!13 = !{!8, !9, i64 12}
!14 = !{!8, !9, i64 0}
!15 = !{!8, !9, i64 16}
!16 = !{!9, !9, i64 0}
!17 = !{!18, !18, i64 0}
!18 = !{!"_Float16", !5, i64 0}
!19 = distinct !{!19, !20}
!20 = !{!"llvm.loop.mustprogress"}
