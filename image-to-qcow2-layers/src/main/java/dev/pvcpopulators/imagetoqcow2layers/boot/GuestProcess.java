package dev.pvcpopulators.imagetoqcow2layers.boot;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.ext4.TreeReader;
import dev.pvcpopulators.registry.ImageConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// The process of an image, as a machine runs it. The user and the groups are numbers.
///
/// @param arguments entrypoint and command, together at least one argument; if the first argument
///   has no slash, it is looked up in the `PATH` of the environment
/// @param environment variables of the form `NAME=VALUE`, with any value
/// @param workingDirectory an absolute path
/// @param uid 0 to 2³¹-1
/// @param gid 0 to 2³¹-1
/// @param groups the supplementary groups
/// @param hostname the hostname of the machine
/// @param volumes paths that are on the second disk if the machine has one
/// @param stopSignal the name or the number of the signal that stops the process; `SIGTERM` if the
///   image names no signal
public record GuestProcess(
    List<String> arguments,
    List<String> environment,
    String workingDirectory,
    long uid,
    long gid,
    List<Long> groups,
    String hostname,
    List<String> volumes,
    String stopSignal) {
  /// The search path for programs if neither the image nor an override sets `PATH`. It is Docker's
  /// default.
  static final String DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

  /// The maximum number of bytes of one argument or variable, including the NUL at its end (Linux,
  /// `MAX_ARG_STRLEN`).
  static final int MAX_STRING = 131_072;

  /// The maximum number of bytes of all arguments and variables, the working directory and the
  /// volumes, including a NUL and a pointer for each of them. The limit is a quarter of the stack's
  /// usual 8 MiB (execve(2)), minus 128 KiB for the programs that start the process.
  static final int MAX_STRINGS = (2 << 20) - (128 << 10);

  private static final int POINTER = 8;
  private static final Pattern HOSTNAME = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9.-]{0,62})?");

  public GuestProcess {
    arguments = List.copyOf(arguments);
    environment = List.copyOf(environment);
    groups = List.copyOf(groups);
    volumes = List.copyOf(volumes);
  }

  /// Returns the process that an image's configuration and the overrides describe. Unless the image
  /// or an override sets them, `PATH`, `HOSTNAME`, `HOME` and `TERM` get the values that container
  /// engines set. Engines set `TERM` only for a terminal; the console of a machine is a terminal.
  ///
  /// @param tree the image's files, which contain the user database
  /// @throws UnsupportedFeatureException if there is no program to run, if the hostname, a volume
  ///   or the stop signal is invalid, or if arguments, variables or paths contain NUL or are too
  ///   long
  /// @throws UnsupportedFeatureException if the image has no entry for the name of the user or
  ///   group
  public static GuestProcess of(ImageConfig config, ProcessOverrides overrides, TreeReader tree)
      throws IOException {
    UserLookup.User user = UserLookup.find(overrides.user().orElse(config.user()), tree);
    return of(config, overrides, user);
  }

  static GuestProcess of(ImageConfig config, ProcessOverrides overrides, UserLookup.User user)
      throws UnsupportedFeatureException {
    if (!HOSTNAME.matcher(overrides.hostname()).matches()) {
      throw new UnsupportedFeatureException(
          "A hostname has 1 to 63 letters, digits, hyphens and dots, and begins with a letter or a"
              + " digit, found "
              + Quoted.of(overrides.hostname()));
    }
    String directory = overrides.workingDirectory().orElse(config.workingDirectory());
    TreeSet<String> volumes = new TreeSet<>();
    for (String volume : config.volumes()) {
      String path = absolute(volume);
      if (path.equals("/")) {
        throw new UnsupportedFeatureException("The root directory of the image cannot be a volume");
      }
      volumes.add(path);
    }
    String stopSignal = config.stopSignal().isEmpty() ? StopSignal.DEFAULT : config.stopSignal();
    StopSignal.parse(stopSignal);
    GuestProcess process =
        new GuestProcess(
            arguments(config, overrides),
            environment(config, overrides, user),
            absolute(directory),
            user.uid(),
            user.gid(),
            user.groups(),
            overrides.hostname(),
            List.copyOf(volumes),
            stopSignal);
    process.requireRunnable();
    return process;
  }

  /// Checks that an image has a program to run. This check needs no file of the image, so it can
  /// run before the layers are pulled.
  ///
  /// @throws UnsupportedFeatureException if there is neither an entrypoint nor a command, or if the
  ///   first argument is empty
  public static void requireProgram(ImageConfig config, ProcessOverrides overrides)
      throws UnsupportedFeatureException {
    var _ = arguments(config, overrides);
  }

  private static List<String> arguments(ImageConfig config, ProcessOverrides overrides)
      throws UnsupportedFeatureException {
    List<String> arguments = new ArrayList<>(overrides.entrypoint().orElse(config.entrypoint()));
    List<String> command = overrides.entrypoint().isPresent() ? List.of() : config.command();
    arguments.addAll(overrides.command().orElse(command));
    if (arguments.isEmpty() || arguments.getFirst().isEmpty()) {
      throw new UnsupportedFeatureException(
          "The image has neither an entrypoint nor a command: set one of them");
    }
    return arguments;
  }

  private static List<String> environment(
      ImageConfig config, ProcessOverrides overrides, UserLookup.User user) {
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put("PATH", DEFAULT_PATH);
    variables.put("HOSTNAME", overrides.hostname());
    variables.put("TERM", "xterm");
    variables.put("HOME", user.home());
    List<String> entries = new ArrayList<>(config.environment());
    entries.addAll(overrides.environment());
    for (String entry : entries) {
      int equals = entry.indexOf('=');
      // A text without a name or without `=` sets no variable.
      if (equals > 0) {
        variables.put(entry.substring(0, equals), entry.substring(equals + 1));
      }
    }
    return variables.entrySet().stream()
        .map(variable -> variable.getKey() + "=" + variable.getValue())
        .toList();
  }

  /// Returns the value of a variable; empty if it is not set.
  String variable(String name) {
    return environment.stream()
        .filter(entry -> entry.startsWith(name + "="))
        .map(entry -> entry.substring(name.length() + 1))
        .findFirst()
        .orElse("");
  }

  /// Returns the absolute form of a path, without `.`, `..` and redundant slashes.
  private static String absolute(String path) {
    List<String> names = new ArrayList<>();
    for (String name : path.split("/", -1)) {
      if (name.equals("..") && !names.isEmpty()) {
        names.removeLast();
      } else if (!name.isEmpty() && !name.equals(".") && !name.equals("..")) {
        names.add(name);
      }
    }
    return "/" + String.join("/", names);
  }

  private void requireRunnable() throws UnsupportedFeatureException {
    long total = 0;
    for (List<String> strings :
        List.of(arguments, environment, List.of(workingDirectory), volumes)) {
      for (String string : strings) {
        if (string.indexOf('\0') >= 0) {
          throw new UnsupportedFeatureException("A process cannot receive NUL: " + shown(string));
        }
        long length = string.getBytes(UTF_8).length + 1L;
        if (length > MAX_STRING) {
          throw new UnsupportedFeatureException(
              "An argument or variable has at most %s bytes, found %s: %s"
                  .formatted(MAX_STRING - 1, length - 1, shown(string)));
        }
        total += length + POINTER;
      }
    }
    if (total > MAX_STRINGS) {
      throw new UnsupportedFeatureException(
          "Arguments, environment, working directory and volumes have at most "
              + MAX_STRINGS
              + " bytes, found "
              + total);
    }
  }

  /// Quotes a string for a message. If the string contains `=`, quotes only the text before the
  /// first `=`, because the value of a variable may be a secret.
  private static String shown(String string) {
    int equals = string.indexOf('=');
    return Quoted.of(equals < 0 ? string : string.substring(0, equals));
  }
}
