; ModuleID = 'kernels.c'
source_filename = "kernels.c"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal unnamed_addr addrspace(3) global [128 x float] zeroinitializer, align 4
@ticket = internal unnamed_addr addrspace(3) global i32 0, align 4

; Function Attrs: convergent norecurse nounwind
define dso_local ptx_kernel void @k(ptr noalias noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, ptr noundef captures(none) %2, ptr noundef captures(none) %3, i32 noundef %4) local_unnamed_addr #0 {
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %8 = shl nsw i32 %7, 7
  %9 = add nuw i32 %8, %6
  %10 = icmp ult i32 %9, %4
  br i1 %10, label %11, label %14

11:                                               ; preds = %5
  %12 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %13 = shl nsw i32 %12, 7
  br label %19

14:                                               ; preds = %19, %5
  %15 = phi float [ 0.000000e+00, %5 ], [ %26, %19 ]
  %16 = zext nneg i32 %6 to i64
  %17 = getelementptr inbounds nuw float, ptr addrspace(3) @tile, i64 %16
  store float %15, ptr addrspace(3) %17, align 4, !tbaa !7
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %18 = icmp samesign ult i32 %6, 64
  br i1 %18, label %29, label %36

19:                                               ; preds = %11, %19
  %20 = phi float [ 0.000000e+00, %11 ], [ %26, %19 ]
  %21 = phi i32 [ %9, %11 ], [ %27, %19 ]
  %22 = zext i32 %21 to i64
  %23 = getelementptr inbounds nuw float, ptr %0, i64 %22
  %24 = load float, ptr %23, align 4, !tbaa !7
  %25 = fmul float %24, %24
  %26 = fadd float %20, %25
  %27 = add i32 %21, %13
  %28 = icmp ult i32 %27, %4
  br i1 %28, label %19, label %14, !llvm.loop !9

29:                                               ; preds = %14
  %30 = zext nneg i32 %6 to i64
  %31 = getelementptr inbounds nuw float, ptr addrspace(3) @tile, i64 %30
  %32 = getelementptr inbounds nuw i8, ptr addrspace(3) %31, i64 256
  %33 = load float, ptr addrspace(3) %32, align 4, !tbaa !7
  %34 = load float, ptr addrspace(3) %17, align 4, !tbaa !7
  %35 = fadd float %33, %34
  store float %35, ptr addrspace(3) %17, align 4, !tbaa !7
  br label %36

36:                                               ; preds = %29, %14
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %37 = icmp samesign ult i32 %6, 32
  br i1 %37, label %38, label %45

38:                                               ; preds = %36
  %39 = zext nneg i32 %6 to i64
  %40 = getelementptr inbounds nuw float, ptr addrspace(3) @tile, i64 %39
  %41 = getelementptr inbounds nuw i8, ptr addrspace(3) %40, i64 128
  %42 = load float, ptr addrspace(3) %41, align 4, !tbaa !7
  %43 = load float, ptr addrspace(3) %17, align 4, !tbaa !7
  %44 = fadd float %42, %43
  store float %44, ptr addrspace(3) %17, align 4, !tbaa !7
  br label %45

45:                                               ; preds = %38, %36
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %46 = icmp samesign ult i32 %6, 16
  br i1 %46, label %47, label %54

47:                                               ; preds = %45
  %48 = zext nneg i32 %6 to i64
  %49 = getelementptr inbounds nuw float, ptr addrspace(3) @tile, i64 %48
  %50 = getelementptr inbounds nuw i8, ptr addrspace(3) %49, i64 64
  %51 = load float, ptr addrspace(3) %50, align 4, !tbaa !7
  %52 = load float, ptr addrspace(3) %17, align 4, !tbaa !7
  %53 = fadd float %51, %52
  store float %53, ptr addrspace(3) %17, align 4, !tbaa !7
  br label %54

54:                                               ; preds = %47, %45
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %55 = icmp samesign ult i32 %6, 8
  br i1 %55, label %56, label %63

56:                                               ; preds = %54
  %57 = zext nneg i32 %6 to i64
  %58 = getelementptr inbounds nuw float, ptr addrspace(3) @tile, i64 %57
  %59 = getelementptr inbounds nuw i8, ptr addrspace(3) %58, i64 32
  %60 = load float, ptr addrspace(3) %59, align 4, !tbaa !7
  %61 = load float, ptr addrspace(3) %17, align 4, !tbaa !7
  %62 = fadd float %60, %61
  store float %62, ptr addrspace(3) %17, align 4, !tbaa !7
  br label %63

63:                                               ; preds = %56, %54
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %64 = icmp samesign ult i32 %6, 4
  br i1 %64, label %65, label %72

65:                                               ; preds = %63
  %66 = zext nneg i32 %6 to i64
  %67 = getelementptr inbounds nuw float, ptr addrspace(3) @tile, i64 %66
  %68 = getelementptr inbounds nuw i8, ptr addrspace(3) %67, i64 16
  %69 = load float, ptr addrspace(3) %68, align 4, !tbaa !7
  %70 = load float, ptr addrspace(3) %17, align 4, !tbaa !7
  %71 = fadd float %69, %70
  store float %71, ptr addrspace(3) %17, align 4, !tbaa !7
  br label %72

72:                                               ; preds = %65, %63
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %73 = icmp samesign ult i32 %6, 2
  br i1 %73, label %74, label %81

74:                                               ; preds = %72
  %75 = zext nneg i32 %6 to i64
  %76 = getelementptr inbounds nuw float, ptr addrspace(3) @tile, i64 %75
  %77 = getelementptr inbounds nuw i8, ptr addrspace(3) %76, i64 8
  %78 = load float, ptr addrspace(3) %77, align 4, !tbaa !7
  %79 = load float, ptr addrspace(3) %17, align 4, !tbaa !7
  %80 = fadd float %78, %79
  store float %80, ptr addrspace(3) %17, align 4, !tbaa !7
  br label %81

81:                                               ; preds = %74, %72
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %82 = icmp eq i32 %6, 0
  br i1 %82, label %83, label %87

83:                                               ; preds = %81
  %84 = load float, ptr addrspace(3) getelementptr inbounds nuw (i8, ptr addrspace(3) @tile, i64 4), align 4, !tbaa !7
  %85 = load float, ptr addrspace(3) %17, align 4, !tbaa !7
  %86 = fadd float %84, %85
  store float %86, ptr addrspace(3) %17, align 4, !tbaa !7
  br label %87

87:                                               ; preds = %83, %81
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %88 = icmp eq i32 %6, 0
  br i1 %88, label %89, label %94

89:                                               ; preds = %87
  %90 = load float, ptr addrspace(3) @tile, align 4, !tbaa !7
  %91 = zext nneg i32 %7 to i64
  %92 = getelementptr inbounds nuw float, ptr %2, i64 %91
  store float %90, ptr %92, align 4, !tbaa !7
  fence acq_rel
  %93 = atomicrmw add ptr %3, i32 1 monotonic, align 4
  store i32 %93, ptr addrspace(3) @ticket, align 4, !tbaa !3
  fence acq_rel
  br label %94

94:                                               ; preds = %89, %87
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %95 = load i32, ptr addrspace(3) @ticket, align 4, !tbaa !3
  %96 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %97 = add nsw i32 %96, -1
  %98 = icmp ne i32 %95, %97
  %99 = icmp ne i32 %6, 0
  %100 = or i1 %99, %98
  br i1 %100, label %152, label %101

101:                                              ; preds = %94
  %102 = and i32 %96, 3
  %103 = icmp samesign ult i32 %96, 4
  br i1 %103, label %108, label %104

104:                                              ; preds = %101
  %105 = and i32 %96, 2147483644
  br label %126

106:                                              ; preds = %126
  %107 = icmp eq i32 %102, 0
  br i1 %107, label %123, label %108

108:                                              ; preds = %106, %101
  %109 = phi i32 [ 0, %101 ], [ %149, %106 ]
  %110 = phi float [ 0.000000e+00, %101 ], [ %148, %106 ]
  %111 = icmp ne i32 %102, 0
  tail call void @llvm.assume(i1 %111)
  br label %112

112:                                              ; preds = %112, %108
  %113 = phi i32 [ %120, %112 ], [ %109, %108 ]
  %114 = phi float [ %119, %112 ], [ %110, %108 ]
  %115 = phi i32 [ %121, %112 ], [ 0, %108 ]
  %116 = zext nneg i32 %113 to i64
  %117 = getelementptr inbounds nuw float, ptr %2, i64 %116
  %118 = load float, ptr %117, align 4, !tbaa !7
  %119 = fadd float %114, %118
  %120 = add nuw nsw i32 %113, 1
  %121 = add i32 %115, 1
  %122 = icmp eq i32 %121, %102
  br i1 %122, label %123, label %112, !llvm.loop !11

123:                                              ; preds = %112, %106
  %124 = phi float [ %148, %106 ], [ %119, %112 ]
  %125 = tail call float @llvm.sqrt.f32(float %124)
  store float %125, ptr %1, align 4, !tbaa !7
  br label %152

126:                                              ; preds = %126, %104
  %127 = phi i32 [ 0, %104 ], [ %149, %126 ]
  %128 = phi float [ 0.000000e+00, %104 ], [ %148, %126 ]
  %129 = phi i32 [ 0, %104 ], [ %150, %126 ]
  %130 = zext nneg i32 %127 to i64
  %131 = getelementptr inbounds nuw float, ptr %2, i64 %130
  %132 = load float, ptr %131, align 4, !tbaa !7
  %133 = fadd float %128, %132
  %134 = zext nneg i32 %127 to i64
  %135 = getelementptr inbounds nuw float, ptr %2, i64 %134
  %136 = getelementptr inbounds nuw i8, ptr %135, i64 4
  %137 = load float, ptr %136, align 4, !tbaa !7
  %138 = fadd float %133, %137
  %139 = zext nneg i32 %127 to i64
  %140 = getelementptr inbounds nuw float, ptr %2, i64 %139
  %141 = getelementptr inbounds nuw i8, ptr %140, i64 8
  %142 = load float, ptr %141, align 4, !tbaa !7
  %143 = fadd float %138, %142
  %144 = zext nneg i32 %127 to i64
  %145 = getelementptr inbounds nuw float, ptr %2, i64 %144
  %146 = getelementptr inbounds nuw i8, ptr %145, i64 12
  %147 = load float, ptr %146, align 4, !tbaa !7
  %148 = fadd float %143, %147
  %149 = add nuw nsw i32 %127, 4
  %150 = add i32 %129, 4
  %151 = icmp eq i32 %150, %105
  br i1 %151, label %106, label %126, !llvm.loop !13

152:                                              ; preds = %94, %123
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

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.sqrt.f32(float) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
declare void @llvm.assume(i1 noundef) #4

attributes #0 = { convergent norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nounwind }
attributes #3 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }

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
!11 = distinct !{!11, !12}
!12 = !{!"llvm.loop.unroll.disable"}
!13 = distinct !{!13, !10}
