package dev.pvcpopulators.imagetoqcow2layers.boot;

import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The signal that requests a process to end: the `StopSignal` of an image's configuration (OCI
/// image-spec 1.1, config.md). The configuration contains the name of the signal, with or without
/// `SIG`, or the number of the signal. The numbers are the signal numbers of Linux on all
/// architectures except MIPS, Alpha, SPARC and PA-RISC (signal(7)).
///
/// @param number 1 to 64
record StopSignal(int number) {
  static final String DEFAULT = "SIGTERM";

  private static final List<String> NAMES =
      List.of(
          "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
          "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG",
          "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS");
  private static final Map<String, String> SYNONYMS =
      Map.of("POLL", "IO", "CLD", "CHLD", "IOT", "ABRT");
  private static final int FIRST_REAL_TIME = 34;
  private static final int LAST = 64;
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,3}");
  private static final Pattern REAL_TIME = Pattern.compile("RT(MIN|MAX)(?:([+-])([0-9]{1,2}))?");

  /// Parses the name or the number of a signal.
  ///
  /// @param text the signal, in upper or lower case; empty for [#DEFAULT]
  /// @throws UnsupportedFeatureException if there is no such signal
  static StopSignal parse(String text) throws UnsupportedFeatureException {
    String upper = (text.isEmpty() ? DEFAULT : text).toUpperCase(Locale.ROOT);
    String name = upper.startsWith("SIG") ? upper.substring("SIG".length()) : upper;
    Matcher realTime = REAL_TIME.matcher(name);
    int number;
    if (NUMBER.matcher(upper).matches()) {
      number = Integer.parseInt(upper);
    } else if (realTime.matches()) {
      number = realTime(realTime);
    } else {
      number = NAMES.indexOf(SYNONYMS.getOrDefault(name, name)) + 1;
    }
    if (number < 1 || number > LAST) {
      throw new UnsupportedFeatureException("No signal has the name " + Quoted.of(text));
    }
    return new StopSignal(number);
  }

  private static int realTime(Matcher matcher) {
    int from = matcher.group(1).equals("MIN") ? FIRST_REAL_TIME : LAST;
    int by = matcher.group(3) == null ? 0 : Integer.parseInt(matcher.group(3));
    int number = "-".equals(matcher.group(2)) ? from - by : from + by;
    return number < FIRST_REAL_TIME ? 0 : number;
  }
}
