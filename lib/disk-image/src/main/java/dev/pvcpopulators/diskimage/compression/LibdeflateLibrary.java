package dev.pvcpopulators.diskimage.compression;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.NoSuchElementException;
import java.util.Optional;

/// The system's `libdeflate.so.0`. The functions of libdeflate that this class calls take only
/// integers and addresses, and no structs whose layout could change. Therefore every library with
/// the file name `libdeflate.so.0` is compatible, and no self-test is needed.
final class LibdeflateLibrary {
  static final int SUCCESS = 0;
  static final int SHORT_OUTPUT = 2;
  static final int INSUFFICIENT_SPACE = 3;

  private static final String FILE = "libdeflate.so.0";
  private static final Optional<LibdeflateLibrary> INSTALLED = load();

  private final MethodHandle allocate;
  private final MethodHandle free;
  private final MethodHandle decompress;

  private LibdeflateLibrary(SymbolLookup lookup) {
    Linker linker = Linker.nativeLinker();
    allocate =
        linker.downcallHandle(
            lookup.findOrThrow("libdeflate_alloc_decompressor"), FunctionDescriptor.of(ADDRESS));
    free =
        linker.downcallHandle(
            lookup.findOrThrow("libdeflate_free_decompressor"), FunctionDescriptor.ofVoid(ADDRESS));
    // The option "critical" lets the function access arrays on the heap. The garbage collector may
    // have to wait until the call returns. The call is short, because clusters are small.
    decompress =
        linker.downcallHandle(
            lookup.findOrThrow("libdeflate_deflate_decompress_ex"),
            FunctionDescriptor.of(
                JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS),
            Linker.Option.critical(true));
  }

  /// Returns the library if it can be loaded; otherwise empty. If the library cannot be loaded,
  /// this class logs one warning.
  static Optional<LibdeflateLibrary> installed() {
    return INSTALLED;
  }

  MemorySegment allocate() {
    MemorySegment decompressor;
    try {
      decompressor = (MemorySegment) allocate.invokeExact();
    } catch (Throwable e) {
      throw new IllegalStateException("libdeflate_alloc_decompressor", e);
    }
    if (decompressor.address() == 0) {
      throw new OutOfMemoryError("libdeflate_alloc_decompressor");
    }
    return decompressor;
  }

  void free(MemorySegment decompressor) {
    try {
      free.invokeExact(decompressor);
    } catch (Throwable e) {
      throw new IllegalStateException("libdeflate_free_decompressor", e);
    }
  }

  /// Inflates one stream to exactly the length of `out` and returns [#SUCCESS] or another code.
  ///
  /// @param consumed receives the length of the stream, a 64-bit integer
  int decompress(
      MemorySegment decompressor, MemorySegment in, MemorySegment out, MemorySegment consumed) {
    try {
      return (int)
          decompress.invokeExact(
              decompressor, in, in.byteSize(), out, out.byteSize(), consumed, MemorySegment.NULL);
    } catch (Throwable e) {
      throw new IllegalStateException("libdeflate_deflate_decompress_ex", e);
    }
  }

  private static Optional<LibdeflateLibrary> load() {
    try {
      return Optional.of(new LibdeflateLibrary(SymbolLookup.libraryLookup(FILE, Arena.global())));
    } catch (IllegalArgumentException | IllegalCallerException | NoSuchElementException e) {
      System.getLogger(LibdeflateLibrary.class.getName())
          .log(
              Level.WARNING,
              "Compressed clusters are read with the JDK's inflater, at about half the speed: {0}"
                  + " is not usable ({1}). Install it (Debian: libdeflate0, Fedora: libdeflate)"
                  + " and start with --enable-native-access=ALL-UNNAMED",
              FILE,
              e.getMessage());
      return Optional.empty();
    }
  }
}
