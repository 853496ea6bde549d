; ModuleID = 'kernels.c'
source_filename = "kernels.c"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: convergent norecurse nounwind
define dso_local ptx_kernel void @k(ptr noundef captures(none) %0, ptr noundef captures(none) %1, ptr noundef captures(none) %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %7 = mul nuw nsw i32 %5, %6
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %9 = add nuw nsw i32 %7, %8
  %10 = icmp ult i32 %9, %3
  %11 = add nuw i32 %9, 1
  %12 = icmp eq i32 %11, %3
  %13 = select i1 %12, i32 0, i32 %11
  %14 = zext i32 %13 to i64
  %15 = getelementptr inbounds nuw float, ptr %0, i64 %14
  %16 = zext nneg i32 %9 to i64
  %17 = getelementptr inbounds nuw float, ptr %0, i64 %16
  %18 = getelementptr inbounds nuw float, ptr %1, i64 %16
  %19 = icmp eq i32 %8, 0
  %20 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %21 = add nsw i32 %9, -1
  %22 = add i32 %21, %3
  br label %24

23:                                               ; preds = %55
  ret void

24:                                               ; preds = %4, %55
  %25 = phi i32 [ 1, %4 ], [ %56, %55 ]
  br i1 %10, label %26, label %30

26:                                               ; preds = %24
  %27 = load float, ptr %15, align 4, !tbaa !7
  %28 = load float, ptr %17, align 4, !tbaa !7
  %29 = fadd float %27, %28
  store float %29, ptr %18, align 4, !tbaa !7
  br label %30

30:                                               ; preds = %26, %24
  %31 = shl nuw nsw i32 %25, 1
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %19, label %32, label %40

32:                                               ; preds = %30
  %33 = add nsw i32 %31, -1
  fence acq_rel
  %34 = atomicrmw add ptr %2, i32 1 monotonic, align 4
  %35 = mul i32 %33, %20
  br label %36

36:                                               ; preds = %36, %32
  %37 = load atomic i32, ptr %2 monotonic, align 4
  %38 = icmp ult i32 %37, %35
  br i1 %38, label %36, label %39, !llvm.loop !9

39:                                               ; preds = %36
  fence acq_rel
  br label %40

40:                                               ; preds = %30, %39
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %10, label %41, label %47

41:                                               ; preds = %40
  %42 = urem i32 %22, %3
  %43 = zext i32 %42 to i64
  %44 = getelementptr inbounds nuw float, ptr %1, i64 %43
  %45 = load float, ptr %44, align 4, !tbaa !7
  %46 = fmul float %45, 5.000000e-01
  store float %46, ptr %17, align 4, !tbaa !7
  br label %47

47:                                               ; preds = %41, %40
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %19, label %48, label %55

48:                                               ; preds = %47
  fence acq_rel
  %49 = atomicrmw add ptr %2, i32 1 monotonic, align 4
  %50 = mul i32 %31, %20
  br label %51

51:                                               ; preds = %51, %48
  %52 = load atomic i32, ptr %2 monotonic, align 4
  %53 = icmp ult i32 %52, %50
  br i1 %53, label %51, label %54, !llvm.loop !9

54:                                               ; preds = %51
  fence acq_rel
  br label %55

55:                                               ; preds = %47, %54
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %56 = add nuw nsw i32 %25, 1
  %57 = icmp eq i32 %56, 5
  br i1 %57, label %23, label %24, !llvm.loop !11
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, -2147483648) i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #1

attributes #0 = { convergent norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nounwind }

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
!9 = distinct !{!9, !10}
!10 = !{!"llvm.loop.mustprogress"}
!11 = distinct !{!11, !10}
