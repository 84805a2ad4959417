package dev.pvcpopulators.fuzz;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// Runs a target with given inputs, without a fuzzer. A developer can examine one input, or can
/// measure the coverage of all inputs.
public final class Replay {
  /// The name of the method that Jazzer calls in each target. The method's only parameter contains
  /// the bytes of an input.
  static final String ENTRY_POINT = "fuzzerTestOneInput";

  private Replay() {}

  /// Runs the target with all inputs, in the order of the arguments. The files of a directory are
  /// sorted by path.
  ///
  /// @param arguments the target's class, and files and directories of inputs
  /// @throws AssertionError if the target throws an exception for an input; the message is the path
  ///   of the input, and the cause is the exception of the target
  /// @throws Exception if the target's class cannot be used, or an input cannot be read
  public static void main(String... arguments) throws Exception {
    Method target = Class.forName(arguments[0]).getMethod(ENTRY_POINT, byte[].class);
    List<Path> inputs = new ArrayList<>();
    for (int i = 1; i < arguments.length; i++) {
      add(Path.of(arguments[i]), inputs);
    }
    for (Path input : inputs) {
      run(target, input);
    }
    System.out.println(inputs.size() + " inputs");
  }

  private static void add(Path place, List<Path> inputs) throws IOException {
    try (Stream<Path> files = Files.walk(place)) {
      files.filter(Files::isRegularFile).sorted().forEach(inputs::add);
    }
  }

  /// Runs the target with one input.
  ///
  /// @throws AssertionError if the target throws an exception; the cause is the exception of the
  ///   target
  static void run(Method target, Path input) throws IOException, IllegalAccessException {
    try {
      target.invoke(null, (Object) Files.readAllBytes(input));
    } catch (InvocationTargetException e) {
      throw new AssertionError(input.toString(), e.getCause());
    }
  }
}
