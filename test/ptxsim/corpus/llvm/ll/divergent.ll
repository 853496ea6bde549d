; ModuleID = 'kernels.c'
source_filename = "kernels.c"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @k(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul nuw nsw i32 %4, %5
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add nuw nsw i32 %6, %7
  %9 = icmp ult i32 %8, %2
  br i1 %9, label %10, label %40

10:                                               ; preds = %3
  %11 = zext nneg i32 %8 to i64
  %12 = getelementptr inbounds nuw i32, ptr %0, i64 %11
  %13 = load i32, ptr %12, align 4, !tbaa !3
  %14 = icmp ugt i32 %13, 1
  br i1 %14, label %15, label %37

15:                                               ; preds = %10
  %16 = zext i32 %13 to i64
  br label %17

17:                                               ; preds = %15, %32
  %18 = phi i32 [ %35, %32 ], [ 0, %15 ]
  %19 = phi i64 [ %33, %32 ], [ %16, %15 ]
  %20 = and i64 %19, 1
  %21 = icmp eq i64 %20, 0
  br i1 %21, label %29, label %22

22:                                               ; preds = %17
  %23 = mul i64 %19, 3
  %24 = add i64 %23, 1
  %25 = trunc i64 %24 to i32
  %26 = shl i32 %25, 1
  %27 = and i32 %26, 4
  %28 = add i32 %18, %27
  br label %32

29:                                               ; preds = %17
  %30 = lshr exact i64 %19, 1
  %31 = icmp ugt i32 %18, 300
  br i1 %31, label %37, label %32

32:                                               ; preds = %22, %29
  %33 = phi i64 [ %30, %29 ], [ %24, %22 ]
  %34 = phi i32 [ %18, %29 ], [ %28, %22 ]
  %35 = add i32 %34, 1
  %36 = icmp ugt i64 %33, 1
  br i1 %36, label %17, label %37, !llvm.loop !7

37:                                               ; preds = %32, %29, %10
  %38 = phi i32 [ 0, %10 ], [ %35, %32 ], [ %18, %29 ]
  %39 = getelementptr inbounds nuw i32, ptr %1, i64 %11
  store i32 %38, ptr %39, align 4, !tbaa !3
  br label %40

40:                                               ; preds = %3, %37
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

attributes #0 = { nofree norecurse nosync nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.module.flags = !{!0, !1}
!llvm.errno.tbaa = !{!3}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!3 = !{!4, !4, i64 0}
!4 = !{!"int", !5, i64 0}
!5 = !{!"omnipotent char", !6, i64 0}
!6 = !{!"Simple C/C++ TBAA"}
!7 = distinct !{!7, !8}
!8 = !{!"llvm.loop.mustprogress"}
