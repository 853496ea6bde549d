; ModuleID = 'kernels.c'
source_filename = "kernels.c"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal unnamed_addr addrspace(3) global [256 x float] zeroinitializer, align 4

; Function Attrs: convergent norecurse nounwind
define dso_local ptx_kernel void @k(ptr noalias noundef readonly captures(none) %0, ptr noundef captures(none) %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %6 = shl nsw i32 %5, 8
  %7 = add nuw i32 %6, %4
  %8 = icmp ult i32 %7, %2
  br i1 %8, label %9, label %12

9:                                                ; preds = %3
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %11 = shl nsw i32 %10, 8
  br label %17

12:                                               ; preds = %17, %3
  %13 = phi float [ 0.000000e+00, %3 ], [ %23, %17 ]
  %14 = zext nneg i32 %4 to i64
  %15 = getelementptr inbounds nuw float, ptr addrspace(3) @tile, i64 %14
  store float %13, ptr addrspace(3) %15, align 4, !tbaa !7
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %16 = icmp samesign ult i32 %4, 128
  br i1 %16, label %26, label %33

17:                                               ; preds = %9, %17
  %18 = phi float [ 0.000000e+00, %9 ], [ %23, %17 ]
  %19 = phi i32 [ %7, %9 ], [ %24, %17 ]
  %20 = zext i32 %19 to i64
  %21 = getelementptr inbounds nuw float, ptr %0, i64 %20
  %22 = load float, ptr %21, align 4, !tbaa !7
  %23 = fadd float %18, %22
  %24 = add i32 %19, %11
  %25 = icmp ult i32 %24, %2
  br i1 %25, label %17, label %12, !llvm.loop !9

26:                                               ; preds = %12
  %27 = zext nneg i32 %4 to i64
  %28 = getelementptr inbounds nuw float, ptr addrspace(3) @tile, i64 %27
  %29 = getelementptr inbounds nuw i8, ptr addrspace(3) %28, i64 512
  %30 = load float, ptr addrspace(3) %29, align 4, !tbaa !7
  %31 = load float, ptr addrspace(3) %15, align 4, !tbaa !7
  %32 = fadd float %30, %31
  store float %32, ptr addrspace(3) %15, align 4, !tbaa !7
  br label %33

33:                                               ; preds = %26, %12
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %34 = icmp samesign ult i32 %4, 64
  br i1 %34, label %35, label %42

35:                                               ; preds = %33
  %36 = zext nneg i32 %4 to i64
  %37 = getelementptr inbounds nuw float, ptr addrspace(3) @tile, i64 %36
  %38 = getelementptr inbounds nuw i8, ptr addrspace(3) %37, i64 256
  %39 = load float, ptr addrspace(3) %38, align 4, !tbaa !7
  %40 = load float, ptr addrspace(3) %15, align 4, !tbaa !7
  %41 = fadd float %39, %40
  store float %41, ptr addrspace(3) %15, align 4, !tbaa !7
  br label %42

42:                                               ; preds = %35, %33
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %43 = icmp samesign ult i32 %4, 32
  br i1 %43, label %44, label %51

44:                                               ; preds = %42
  %45 = zext nneg i32 %4 to i64
  %46 = getelementptr inbounds nuw float, ptr addrspace(3) @tile, i64 %45
  %47 = getelementptr inbounds nuw i8, ptr addrspace(3) %46, i64 128
  %48 = load float, ptr addrspace(3) %47, align 4, !tbaa !7
  %49 = load float, ptr addrspace(3) %15, align 4, !tbaa !7
  %50 = fadd float %48, %49
  store float %50, ptr addrspace(3) %15, align 4, !tbaa !7
  br label %51

51:                                               ; preds = %44, %42
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %52 = icmp samesign ult i32 %4, 16
  br i1 %52, label %53, label %60

53:                                               ; preds = %51
  %54 = zext nneg i32 %4 to i64
  %55 = getelementptr inbounds nuw float, ptr addrspace(3) @tile, i64 %54
  %56 = getelementptr inbounds nuw i8, ptr addrspace(3) %55, i64 64
  %57 = load float, ptr addrspace(3) %56, align 4, !tbaa !7
  %58 = load float, ptr addrspace(3) %15, align 4, !tbaa !7
  %59 = fadd float %57, %58
  store float %59, ptr addrspace(3) %15, align 4, !tbaa !7
  br label %60

60:                                               ; preds = %53, %51
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %61 = icmp samesign ult i32 %4, 8
  br i1 %61, label %62, label %69

62:                                               ; preds = %60
  %63 = zext nneg i32 %4 to i64
  %64 = getelementptr inbounds nuw float, ptr addrspace(3) @tile, i64 %63
  %65 = getelementptr inbounds nuw i8, ptr addrspace(3) %64, i64 32
  %66 = load float, ptr addrspace(3) %65, align 4, !tbaa !7
  %67 = load float, ptr addrspace(3) %15, align 4, !tbaa !7
  %68 = fadd float %66, %67
  store float %68, ptr addrspace(3) %15, align 4, !tbaa !7
  br label %69

69:                                               ; preds = %62, %60
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %70 = icmp samesign ult i32 %4, 4
  br i1 %70, label %71, label %78

71:                                               ; preds = %69
  %72 = zext nneg i32 %4 to i64
  %73 = getelementptr inbounds nuw float, ptr addrspace(3) @tile, i64 %72
  %74 = getelementptr inbounds nuw i8, ptr addrspace(3) %73, i64 16
  %75 = load float, ptr addrspace(3) %74, align 4, !tbaa !7
  %76 = load float, ptr addrspace(3) %15, align 4, !tbaa !7
  %77 = fadd float %75, %76
  store float %77, ptr addrspace(3) %15, align 4, !tbaa !7
  br label %78

78:                                               ; preds = %71, %69
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %79 = icmp samesign ult i32 %4, 2
  br i1 %79, label %80, label %87

80:                                               ; preds = %78
  %81 = zext nneg i32 %4 to i64
  %82 = getelementptr inbounds nuw float, ptr addrspace(3) @tile, i64 %81
  %83 = getelementptr inbounds nuw i8, ptr addrspace(3) %82, i64 8
  %84 = load float, ptr addrspace(3) %83, align 4, !tbaa !7
  %85 = load float, ptr addrspace(3) %15, align 4, !tbaa !7
  %86 = fadd float %84, %85
  store float %86, ptr addrspace(3) %15, align 4, !tbaa !7
  br label %87

87:                                               ; preds = %80, %78
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %88 = icmp eq i32 %4, 0
  br i1 %88, label %89, label %93

89:                                               ; preds = %87
  %90 = load float, ptr addrspace(3) getelementptr inbounds nuw (i8, ptr addrspace(3) @tile, i64 4), align 4, !tbaa !7
  %91 = load float, ptr addrspace(3) %15, align 4, !tbaa !7
  %92 = fadd float %90, %91
  store float %92, ptr addrspace(3) %15, align 4, !tbaa !7
  br label %93

93:                                               ; preds = %89, %87
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %94 = icmp eq i32 %4, 0
  br i1 %94, label %95, label %98

95:                                               ; preds = %93
  %96 = load float, ptr addrspace(3) @tile, align 4, !tbaa !7
  %97 = atomicrmw fadd ptr %1, float %96 monotonic, align 4
  br label %98

98:                                               ; preds = %95, %93
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, -2147483648) i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #1

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #2

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
