package dev.pvcpopulators.images;

import com.google.cloud.tools.jib.api.buildplan.Port;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;

/// A service and the properties of its image, from the `image.properties` of its folder:
///
/// | Key                | Value                                                         |
/// |--------------------|---------------------------------------------------------------|
/// | `base`             | `plain`, `qemu` or `guest`                                    |
/// | `description`      | for the image's label                                         |
/// | `ports`            | TCP ports besides those of HTTP and HTTPS, separated by commas |
/// | `environment.NAME` | a variable that the image sets                                |
///
/// @param id the name of the service's folder and image, such as `http-upload`
/// @param environment environment variables of the image
/// @param ports the TCP ports on which the service may listen: the port of HTTP; the port of HTTPS,
///   which the service uses if it has a certificate; and the ports of its own protocols
record Service(
    String id, Base base, String description, Map<String, String> environment, Set<Port> ports) {
  /// The name of the file with the properties.
  static final String FILE = "image.properties";

  private static final String ENVIRONMENT = "environment.";
  private static final Port HTTP = Port.tcp(8080);
  private static final Port HTTPS = Port.tcp(8443);

  /// The base images of base.sh; each has Debian's C library and the Java run time.
  enum Base {
    PLAIN("base.tar"),
    /// Adds `qemu-img`, which converts VMDK, VDI, VHD and VHDX. Also adds a shell that limits the
    /// resources of `qemu-img`.
    QEMU("base-qemu.tar"),
    /// Adds a kernel, modules and busybox in `/guest`, for the virtual machines that the service
    /// creates.
    GUEST("base-guest.tar");

    private final String file;

    Base(String file) {
      this.file = file;
    }

    /// Returns the file name of the base's archive.
    String file() {
      return file;
    }
  }

  Service {
    // The map is sorted, so that the build is reproducible.
    environment = Collections.unmodifiableMap(new TreeMap<>(environment));
    ports = Set.copyOf(ports);
  }

  /// Reads the properties of a service.
  ///
  /// @param staged the directory that stage.sh created
  /// @throws NoSuchFileException if the directory has no such service
  /// @throws IOException if the properties cannot be read or are invalid
  static Service read(Path staged, String id) throws IOException {
    Path file = staged.resolve(id).resolve(FILE);
    if (!Files.isReadable(file)) {
      throw new NoSuchFileException(file.toString());
    }
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    }
    Map<String, String> environment = new TreeMap<>();
    for (String key : properties.stringPropertyNames()) {
      if (key.startsWith(ENVIRONMENT)) {
        environment.put(key.substring(ENVIRONMENT.length()), value(file, properties, key));
      }
    }
    try {
      Set<Port> ports = new HashSet<>(Set.of(HTTP, HTTPS));
      String own = properties.getProperty("ports", "");
      for (String port : own.isEmpty() ? new String[0] : own.split(",", -1)) {
        ports.add(Port.tcp(Integer.parseInt(port.strip())));
      }
      Base base = Base.valueOf(value(file, properties, "base").toUpperCase(Locale.ROOT));
      return new Service(id, base, value(file, properties, "description"), environment, ports);
    } catch (IllegalArgumentException e) {
      throw new IOException("Reading " + file + ": " + e.getMessage(), e);
    }
  }

  private static String value(Path file, Properties properties, String key) throws IOException {
    String value = properties.getProperty(key, "").strip();
    if (value.isEmpty()) {
      throw new IOException("Reading " + file + ": expected a value of " + key + ", found none");
    }
    return value;
  }
}
