package dev.pvcpopulators.imagetoqcow2layers.boot;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A port that an image exposes (OCI image-spec 1.1, config.md, `ExposedPorts`).
///
/// @param number 1 to 65,535
/// @param protocol `tcp` or `udp`
record Port(int number, String protocol) {
  private static final int MAX = 65_535;
  private static final Pattern FORM = Pattern.compile("([0-9]{1,5})(?:/(tcp|udp))?");

  /// Parses texts such as `80/tcp`, `53/udp` and `80`. A port without a protocol is a TCP port.
  /// Ignores texts in another form and numbers outside 1 to 65,535, because such ports cannot be
  /// forwarded. Also ignores duplicates.
  static List<Port> of(List<String> texts) {
    List<Port> ports = new ArrayList<>();
    for (String text : texts) {
      Matcher matcher = FORM.matcher(text);
      if (matcher.matches()) {
        int number = Integer.parseInt(matcher.group(1));
        Port port = new Port(number, matcher.group(2) == null ? "tcp" : matcher.group(2));
        if (number >= 1 && number <= MAX && !ports.contains(port)) {
          ports.add(port);
        }
      }
    }
    return ports;
  }

  @Override
  public String toString() {
    return number + "/" + protocol;
  }
}
