; ModuleID = 'kernels.c'
source_filename = "kernels.c"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local ptx_kernel void @k(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef writeonly captures(none) %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %7 = mul nuw nsw i32 %5, %6
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %9 = add nuw nsw i32 %7, %8
  %10 = icmp ult i32 %9, %3
  br i1 %10, label %11, label %59

11:                                               ; preds = %4
  %12 = zext nneg i32 %9 to i64
  %13 = getelementptr inbounds nuw i64, ptr %0, i64 %12
  %14 = load i64, ptr %13, align 8, !tbaa !7
  %15 = getelementptr inbounds nuw i64, ptr %1, i64 %12
  %16 = load i64, ptr %15, align 8, !tbaa !7
  %17 = or i64 %16, 1
  %18 = freeze i64 %14
  %19 = freeze i64 %17
  %20 = sdiv i64 %18, %19
  %21 = mul i64 %20, %19
  %22 = sub i64 %18, %21
  %23 = add nsw i64 %22, %20
  %24 = freeze i64 %14
  %25 = freeze i64 %17
  %26 = udiv i64 %24, %25
  %27 = mul i64 %26, %25
  %28 = sub i64 %24, %27
  %29 = add i64 %28, %26
  %30 = xor i64 %29, %23
  %31 = zext i64 %14 to i128
  %32 = zext i64 %17 to i128
  %33 = mul nuw i128 %32, %31
  %34 = lshr i128 %33, 64
  %35 = trunc nuw i128 %34 to i64
  %36 = add nsw i64 %30, %35
  %37 = trunc i64 %14 to i32
  %38 = trunc i64 %16 to i32
  %39 = or i32 %38, 1
  %40 = sdiv i32 %37, %39
  %41 = trunc i64 %14 to i16
  %42 = sext i16 %41 to i32
  %43 = add nsw i32 %40, %42
  %44 = sext i32 %43 to i64
  %45 = xor i64 %36, %44
  %46 = trunc i64 %17 to i8
  %47 = sext i8 %46 to i32
  %48 = lshr i32 %37, 9
  %49 = and i32 %48, 255
  %50 = add nsw i32 %49, %47
  %51 = sext i32 %50 to i64
  %52 = and i64 %17, 63
  %53 = lshr i64 %14, %52
  %54 = tail call i64 @llvm.smax.i64(i64 %14, i64 %17)
  %55 = add i64 %53, %54
  %56 = add i64 %55, %51
  %57 = add i64 %56, %45
  %58 = getelementptr inbounds nuw i64, ptr %2, i64 %12
  store i64 %57, ptr %58, align 8, !tbaa !7
  br label %59

59:                                               ; preds = %4, %11
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.smax.i64(i64, i64) #2

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.module.flags = !{!0, !1}
!llvm.errno.tbaa = !{!3}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!3 = !{!4, !4, i64 0}
!4 = !{!"int", !5, i64 0}
!5 = !{!"omnipotent char", !6, i64 0}
!6 = !{!"Simple C/C++ TBAA"}
!7 = !{!8, !8, i64 0}
!8 = !{!"long long", !5, i64 0}
