package dev.pvcpopulators.diskimage.compression;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Optional;
import java.util.function.ToIntFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IsalSelfTestTest {
  /// Returns a library that inflates nothing. Each call of its `isal_inflate` only writes `value`
  /// into the state at `offset`.
  private static IsalLibrary library(Arena arena, long offset, int value)
      throws ReflectiveOperationException {
    ToIntFunction<MemorySegment> inflate =
        state -> {
          state.reinterpret(IsalState.ALLOCATION).set(JAVA_INT, offset, value);
          return IsalLibrary.DECOMP_OK;
        };
    MethodHandle call =
        MethodHandles.lookup()
            .findVirtual(
                ToIntFunction.class, "applyAsInt", MethodType.methodType(int.class, Object.class))
            .bindTo(inflate)
            .asType(MethodType.methodType(int.class, MemorySegment.class));
    MethodHandle nothing =
        MethodHandles.empty(MethodType.methodType(void.class, MemorySegment.class));
    Linker linker = Linker.nativeLinker();
    MemorySegment inflating =
        linker.upcallStub(call, FunctionDescriptor.of(JAVA_INT, ADDRESS), arena);
    MemorySegment beginning = linker.upcallStub(nothing, FunctionDescriptor.ofVoid(ADDRESS), arena);
    return new IsalLibrary(
        name -> Optional.of(name.equals("isal_inflate") ? inflating : beginning));
  }

  /// [IsalState] has the number of free output bytes at offset 8, and the number of input bytes at
  /// offset 32. A library with another layout has other fields at these offsets.
  @ParameterizedTest
  @CsvSource({"8, -1", "32, 1000000"})
  void refusesALibraryWithAnotherLayout(long offset, int value) throws Exception {
    try (Arena arena = Arena.ofConfined()) {
      String reason = IsalSelfTest.run(library(arena, offset, value)).orElseThrow();
      assertTrue(reason.startsWith("it fails on a known stream: "), reason);
    }
  }
}
