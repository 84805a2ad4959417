package dev.pvcpopulators.it.rules;

import dev.pvcpopulators.volume.Failure;
import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The failures of the contract as table rows.
final class FailureTable {
  private FailureTable() {}

  /// Returns the rows of all failures: problem type, HTTP status, exit code and retryable. A
  /// failure has two rows if these values depend on a boolean component of the failure.
  static List<List<String>> rows() throws ReflectiveOperationException {
    List<List<String>> rows = new ArrayList<>();
    for (Class<?> kind : Failure.class.getPermittedSubclasses()) {
      for (boolean flag : new boolean[] {false, true}) {
        List<String> row = row(example(kind, flag));
        if (!rows.contains(row)) {
          rows.add(row);
        }
      }
    }
    return rows;
  }

  private static List<String> row(Failure failure) {
    return List.of(
        "`" + failure.kind() + "`",
        Integer.toString(failure.status()),
        Integer.toString(failure.exitCode()),
        failure.retryable() ? "yes" : "no");
  }

  private static Failure example(Class<?> kind, boolean flag) throws ReflectiveOperationException {
    Constructor<?> constructor = kind.getConstructors()[0];
    Object[] values =
        Arrays.stream(constructor.getParameterTypes()).map(type -> any(type, flag)).toArray();
    return (Failure) constructor.newInstance(values);
  }

  private static Object any(Class<?> type, boolean flag) {
    if (type == boolean.class) {
      return flag;
    }
    if (type == long.class) {
      return 0L;
    }
    if (type == String.class) {
      return "";
    }
    throw new AssertionError("Give an example of a " + type);
  }
}
