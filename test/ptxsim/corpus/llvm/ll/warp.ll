; ModuleID = 'kernels.c'
source_filename = "kernels.c"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: convergent norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)
define dso_local ptx_kernel void @k(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul nuw nsw i32 %4, %5
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add nuw nsw i32 %6, %7
  %9 = and i32 %7, 31
  %10 = icmp ult i32 %8, %2
  br i1 %10, label %11, label %15

11:                                               ; preds = %3
  %12 = zext nneg i32 %8 to i64
  %13 = getelementptr inbounds nuw i32, ptr %0, i64 %12
  %14 = load i32, ptr %13, align 4, !tbaa !3
  br label %15

15:                                               ; preds = %3, %11
  %16 = phi i32 [ %14, %11 ], [ 0, %3 ]
  %17 = tail call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %16, i32 1, i32 0)
  %18 = icmp eq i32 %9, 0
  %19 = select i1 %18, i32 0, i32 %17
  %20 = add nsw i32 %19, %16
  %21 = tail call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %20, i32 2, i32 0)
  %22 = icmp samesign ult i32 %9, 2
  %23 = select i1 %22, i32 0, i32 %21
  %24 = add nsw i32 %23, %20
  %25 = tail call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %24, i32 4, i32 0)
  %26 = icmp samesign ult i32 %9, 4
  %27 = select i1 %26, i32 0, i32 %25
  %28 = add nsw i32 %27, %24
  %29 = tail call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %28, i32 8, i32 0)
  %30 = icmp samesign ult i32 %9, 8
  %31 = select i1 %30, i32 0, i32 %29
  %32 = add nsw i32 %31, %28
  %33 = tail call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %32, i32 16, i32 0)
  %34 = and i32 %16, 1
  %35 = icmp ne i32 %34, 0
  %36 = tail call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %35)
  %37 = icmp sgt i32 %16, -1000
  %38 = tail call i1 @llvm.nvvm.vote.all.sync(i32 -1, i1 %37)
  %39 = icmp eq i32 %16, 77
  %40 = tail call i1 @llvm.nvvm.vote.any.sync(i32 -1, i1 %39)
  %41 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %16, i32 16, i32 31)
  %42 = tail call i32 @llvm.smax.i32(i32 %41, i32 %16)
  %43 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %42, i32 8, i32 31)
  %44 = tail call i32 @llvm.smax.i32(i32 %43, i32 %42)
  %45 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %44, i32 4, i32 31)
  %46 = tail call i32 @llvm.smax.i32(i32 %45, i32 %44)
  %47 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %46, i32 2, i32 31)
  %48 = tail call i32 @llvm.smax.i32(i32 %47, i32 %46)
  %49 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %48, i32 1, i32 31)
  br i1 %10, label %50, label %66

50:                                               ; preds = %15
  %51 = icmp samesign ult i32 %9, 16
  %52 = select i1 %51, i32 0, i32 %33
  %53 = add nsw i32 %52, %32
  %54 = tail call i32 @llvm.smax.i32(i32 %49, i32 %48)
  %55 = mul nsw i32 %53, 7
  %56 = tail call range(i32 0, 33) i32 @llvm.ctpop.i32(i32 %36)
  %57 = add nsw i32 %56, %55
  %58 = select i1 %38, i32 1000, i32 0
  %59 = add nsw i32 %57, %58
  %60 = select i1 %40, i32 2000, i32 0
  %61 = add nsw i32 %59, %60
  %62 = mul nsw i32 %54, 3
  %63 = add nsw i32 %61, %62
  %64 = zext nneg i32 %8 to i64
  %65 = getelementptr inbounds nuw i32, ptr %1, i64 %64
  store i32 %63, ptr %65, align 4, !tbaa !3
  br label %66

66:                                               ; preds = %50, %15
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare i32 @llvm.nvvm.shfl.sync.up.i32(i32, i32, i32, i32) #2

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1) #2

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare i1 @llvm.nvvm.vote.all.sync(i32, i1) #2

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare i1 @llvm.nvvm.vote.any.sync(i32, i1) #2

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32) #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.ctpop.i32(i32) #3

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.smax.i32(i32, i32) #4

attributes #0 = { convergent norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nounwind memory(inaccessiblemem: readwrite) }
attributes #3 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.module.flags = !{!0, !1}
!llvm.errno.tbaa = !{!3}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!3 = !{!4, !4, i64 0}
!4 = !{!"int", !5, i64 0}
!5 = !{!"omnipotent char", !6, i64 0}
!6 = !{!"Simple C/C++ TBAA"}
