package dev.pvcpopulators.diskimage.compression;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.NoSuchElementException;
import java.util.Optional;

/// The system's `libisal.so.2`, loaded once and used only if [IsalSelfTest] passes.
final class IsalLibrary {
  static final int DECOMP_OK = 0;
  static final int INVALID_BLOCK = -1;
  static final int INVALID_SYMBOL = -2;
  static final int INVALID_LOOKBACK = -3;

  private static final String FILE = "libisal.so.2";
  private static final Optional<IsalLibrary> INSTALLED = load();

  private final MethodHandle init;
  private final MethodHandle inflate;

  /// Creates an instance without testing the library.
  ///
  /// @param lookup finds the library's functions
  IsalLibrary(SymbolLookup lookup) {
    Linker linker = Linker.nativeLinker();
    init =
        linker.downcallHandle(
            lookup.findOrThrow("isal_inflate_init"), FunctionDescriptor.ofVoid(ADDRESS));
    inflate =
        linker.downcallHandle(
            lookup.findOrThrow("isal_inflate"), FunctionDescriptor.of(JAVA_INT, ADDRESS));
  }

  /// Returns the library if it is installed and passes [IsalSelfTest]; otherwise empty. If the
  /// library is not usable, this class logs one warning.
  static Optional<IsalLibrary> installed() {
    return INSTALLED;
  }

  void initialise(IsalState state) {
    try {
      init.invokeExact(state.segment());
    } catch (Throwable e) {
      throw new IllegalStateException("isal_inflate_init", e);
    }
  }

  /// Continues a stream. Returns [#DECOMP_OK], another code of this class, or a non-zero code for
  /// which this class has no constant.
  int inflate(IsalState state) {
    try {
      return (int) inflate.invokeExact(state.segment());
    } catch (Throwable e) {
      throw new IllegalStateException("isal_inflate", e);
    }
  }

  private static Optional<IsalLibrary> load() {
    String problem;
    try {
      IsalLibrary library = new IsalLibrary(SymbolLookup.libraryLookup(FILE, Arena.global()));
      Optional<String> failed = IsalSelfTest.run(library);
      if (failed.isEmpty()) {
        return Optional.of(library);
      }
      problem = failed.get();
    } catch (IllegalArgumentException | IllegalCallerException | NoSuchElementException e) {
      problem = String.valueOf(e.getMessage());
    }
    System.getLogger(IsalLibrary.class.getName())
        .log(
            Level.WARNING,
            "gzip is read with the JDK's inflater, at about half the speed: {0} is not usable ({1})."
                + " Install it (Debian: libisal2, Fedora: isa-l) and start with"
                + " --enable-native-access=ALL-UNNAMED",
            FILE,
            problem);
    return Optional.empty();
  }
}
