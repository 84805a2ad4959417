package dev.pvcpopulators.fuzz;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// Gives inputs to a target without a fuzzer: to see what one does, or what all together reach.
public final class Replay {
  /// The method of a target, whose only parameter are the bytes, as Jazzer calls it.
  static final String ENTRY_POINT = "fuzzerTestOneInput";

  private Replay() {}

  /// Gives all inputs, in the order of their names.
  ///
  /// @param arguments the target's class, and files and directories of inputs
  /// @throws Exception what the target throws, with the input's name
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

  /// Gives one input.
  ///
  /// @throws AssertionError with what the target threw as its cause
  static void run(Method target, Path input) throws IOException, IllegalAccessException {
    try {
      target.invoke(null, (Object) Files.readAllBytes(input));
    } catch (InvocationTargetException e) {
      throw new AssertionError(input.toString(), e.getCause());
    }
  }
}
