package dev.pvcpopulators.images;

import com.google.cloud.tools.jib.api.buildplan.Port;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// A service, and what tells its image from the others'.
enum Service {
  HTTP_UPLOAD(
      Base.QEMU,
      "Takes a virtual machine's disk by HTTP PUT and writes it into a volume as it arrives"),
  REGISTRY_COPY(
      Base.QEMU,
      "Pulls a container image and writes the virtual machine's disk in it into a volume"),
  REGISTRY_STREAM_ISCSI(
      Base.PLAIN,
      "Exports the disks in container images as iSCSI LUNs that can be read while they arrive"),
  IMAGE_TO_QCOW2_LAYERS(
      Base.GUEST, "Turns a container image into a stack of qcow2 files, one a layer, that boots");

  /// What base.sh makes: each has Debian's C library and the Java run time.
  enum Base {
    PLAIN("base.tar"),
    /// With `qemu-img`, which converts VMDK, VDI, VHD and VHDX, and a shell that limits it.
    QEMU("base-qemu.tar"),
    /// With a kernel, modules and busybox for the machines that are made, in `/guest`.
    GUEST("base-guest.tar");

    private final String file;

    Base(String file) {
      this.file = file;
    }

    /// The name of its archive.
    String file() {
      return file;
    }
  }

  private static final Port HTTP = Port.tcp(8080);
  private static final Port HTTPS = Port.tcp(8443);
  private static final Port ISCSI = Port.tcp(3260);

  private final Base base;
  private final String description;

  Service(Base base, String description) {
    this.base = base;
    this.description = description;
  }

  /// The service of that name, as its folder and its image have it.
  static Optional<Service> named(String name) {
    return Arrays.stream(values()).filter(service -> service.id().equals(name)).findFirst();
  }

  /// The name of its folder and image: `http-upload`.
  String id() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  Base base() {
    return base;
  }

  String description() {
    return description;
  }

  /// What it needs to be told in its image.
  Map<String, String> environment() {
    return switch (this) {
      case HTTP_UPLOAD, REGISTRY_COPY, REGISTRY_STREAM_ISCSI -> Map.of();
      case IMAGE_TO_QCOW2_LAYERS -> Map.of("IMAGE_TO_QCOW2_LAYERS_KERNEL", "/guest");
    };
  }

  /// Where it listens: on HTTP's port, or HTTPS's where it has a certificate, and its own.
  Set<Port> ports() {
    return switch (this) {
      case HTTP_UPLOAD, REGISTRY_COPY, IMAGE_TO_QCOW2_LAYERS -> Set.of(HTTP, HTTPS);
      case REGISTRY_STREAM_ISCSI -> Set.of(HTTP, HTTPS, ISCSI);
    };
  }
}
