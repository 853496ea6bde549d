; ModuleID = 'kernels.c'
source_filename = "kernels.c"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @k(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = alloca [16 x i32], align 4
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %7 = mul nuw nsw i32 %5, %6
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %9 = add nuw nsw i32 %7, %8
  %10 = icmp ult i32 %9, %2
  br i1 %10, label %11, label %81

11:                                               ; preds = %3
  call void @llvm.lifetime.start.p0(ptr nonnull %4) #3
  %12 = shl i32 %9, 4
  br label %13

13:                                               ; preds = %13, %11
  %14 = phi i32 [ 0, %11 ], [ %30, %13 ]
  %15 = add nuw nsw i32 %14, %12
  %16 = urem i32 %15, %2
  %17 = zext i32 %16 to i64
  %18 = getelementptr inbounds nuw i32, ptr %0, i64 %17
  %19 = load i32, ptr %18, align 4, !tbaa !3
  %20 = zext nneg i32 %14 to i64
  %21 = getelementptr inbounds nuw i32, ptr %4, i64 %20
  store i32 %19, ptr %21, align 4, !tbaa !3
  %22 = or disjoint i32 %14, 1
  %23 = add nuw nsw i32 %22, %12
  %24 = urem i32 %23, %2
  %25 = zext i32 %24 to i64
  %26 = getelementptr inbounds nuw i32, ptr %0, i64 %25
  %27 = load i32, ptr %26, align 4, !tbaa !3
  %28 = zext nneg i32 %22 to i64
  %29 = getelementptr inbounds nuw i32, ptr %4, i64 %28
  store i32 %27, ptr %29, align 4, !tbaa !3
  %30 = add nuw nsw i32 %14, 2
  %31 = icmp eq i32 %30, 16
  br i1 %31, label %41, label %13, !llvm.loop !7

32:                                               ; preds = %56
  %33 = zext nneg i32 %9 to i64
  %34 = getelementptr inbounds nuw i32, ptr %0, i64 %33
  %35 = load i32, ptr %34, align 4, !tbaa !3
  %36 = and i32 %35, 15
  %37 = zext nneg i32 %36 to i64
  %38 = getelementptr inbounds nuw i32, ptr %4, i64 %37
  %39 = load i32, ptr %38, align 4, !tbaa !3
  %40 = getelementptr inbounds nuw i32, ptr %1, i64 %33
  store i32 %39, ptr %40, align 4, !tbaa !3
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #3
  br label %81

41:                                               ; preds = %13, %76
  %42 = phi i32 [ %80, %76 ], [ 1, %13 ]
  %43 = zext nneg i32 %42 to i64
  %44 = getelementptr inbounds nuw i32, ptr %4, i64 %43
  %45 = load i32, ptr %44, align 4, !tbaa !3
  br label %46

46:                                               ; preds = %41, %53
  %47 = phi i32 [ %42, %41 ], [ %54, %53 ]
  %48 = zext nneg i32 %47 to i64
  %49 = getelementptr i32, ptr %4, i64 %48
  %50 = getelementptr i8, ptr %49, i64 -4
  %51 = load i32, ptr %50, align 4, !tbaa !3
  %52 = icmp ugt i32 %51, %45
  br i1 %52, label %53, label %56

53:                                               ; preds = %46
  store i32 %51, ptr %49, align 4, !tbaa !3
  %54 = add nsw i32 %47, -1
  %55 = icmp sgt i32 %47, 1
  br i1 %55, label %46, label %56, !llvm.loop !9

56:                                               ; preds = %53, %46
  %57 = phi i32 [ 0, %53 ], [ %47, %46 ]
  %58 = sext i32 %57 to i64
  %59 = getelementptr inbounds i32, ptr %4, i64 %58
  store i32 %45, ptr %59, align 4, !tbaa !3
  %60 = add nuw nsw i32 %42, 1
  %61 = icmp eq i32 %60, 16
  br i1 %61, label %32, label %62, !llvm.loop !10

62:                                               ; preds = %56
  %63 = zext nneg i32 %60 to i64
  %64 = getelementptr inbounds nuw i32, ptr %4, i64 %63
  %65 = load i32, ptr %64, align 4, !tbaa !3
  br label %66

66:                                               ; preds = %73, %62
  %67 = phi i32 [ %60, %62 ], [ %74, %73 ]
  %68 = zext nneg i32 %67 to i64
  %69 = getelementptr i32, ptr %4, i64 %68
  %70 = getelementptr i8, ptr %69, i64 -4
  %71 = load i32, ptr %70, align 4, !tbaa !3
  %72 = icmp ugt i32 %71, %65
  br i1 %72, label %73, label %76

73:                                               ; preds = %66
  store i32 %71, ptr %69, align 4, !tbaa !3
  %74 = add nsw i32 %67, -1
  %75 = icmp sgt i32 %67, 1
  br i1 %75, label %66, label %76, !llvm.loop !9

76:                                               ; preds = %73, %66
  %77 = phi i32 [ 0, %73 ], [ %67, %66 ]
  %78 = sext i32 %77 to i64
  %79 = getelementptr inbounds i32, ptr %4, i64 %78
  store i32 %65, ptr %79, align 4, !tbaa !3
  %80 = add nuw nsw i32 %42, 2
  br label %41

81:                                               ; preds = %3, %32
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

attributes #0 = { nofree norecurse nosync nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nounwind }

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
!9 = distinct !{!9, !8}
!10 = distinct !{!10, !8}
