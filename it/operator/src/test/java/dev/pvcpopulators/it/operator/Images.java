package dev.pvcpopulators.it.operator;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.Nginx;
import dev.pvcpopulators.it.Valve;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.LayerTree;
import dev.pvcpopulators.it.image.LyingRegistry;
import dev.pvcpopulators.it.image.Packing;
import dev.pvcpopulators.it.image.Registry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// The sources from which the operator fills claims. The main registry contains `disk:1`, `disk:2`,
/// `unsupported:1` and `machine:1`. A proxy can limit the number of bytes that the main registry
/// sends. Other registries have faults. A web server has the disk of `disk:1`.
final class Images implements AutoCloseable {
  /// The name of JUnit's resource lock for [#throttled].
  static final String THROTTLED = "throttled";

  private static final String QCOW2 = "qcow2";
  private static final String FILE = "disk.qcow2";

  private final Registry registry;
  private final LyingRegistry corrupting;
  private final LyingRegistry recovering;
  private final LyingRegistry unavailable;
  private final Valve throttled;
  private final Nginx web;
  private final ImageLayout layout;
  private final Path first;
  private final Path second;
  private final Path raw;

  private Images(Path directory) throws IOException, InterruptedException {
    this.registry = Registry.open(directory.resolve("registry"));
    this.throttled = Valve.before(registry.port());
    this.first = image(directory, "first.qcow2", "0x5a");
    this.second = image(directory, "second.qcow2", "0xa5");
    this.raw = directory.resolve("first.raw");
    QemuImg.toRaw(first, QCOW2, raw);
    this.layout = containerDisk(directory, "one", first);
    registry.push(layout, ImageLayout.LATEST, "disk:1");
    registry.push(containerDisk(directory, "two", second), ImageLayout.LATEST, "disk:2");
    registry.push(
        containerDisk(directory, "three", overlay(directory)), ImageLayout.LATEST, "unsupported:1");
    registry.push(program(directory), ImageLayout.LATEST, "machine:1");
    this.web = Nginx.open(Files.createDirectory(directory.resolve("web")), "");
    Files.copy(first, web.file(FILE));
    this.corrupting = LyingRegistry.of(layout);
    this.recovering = LyingRegistry.of(layout);
    this.unavailable = LyingRegistry.of(layout);
    Content layer = layout.layers(ImageLayout.LATEST).getFirst();
    byte[] other = Files.readAllBytes(layout.path(layer));
    other[other.length - 1] ^= 1;
    corrupting.lies(layer.digest(), LyingRegistry.bytes("application/octet-stream", other));
    recovering.lies(layer.digest(), 1, LyingRegistry.broken(layout.path(layer), other.length / 2));
    unavailable.lies(ImageLayout.LATEST, LyingRegistry.status(503));
  }

  /// Creates an image with an entrypoint. The service image-to-qcow2-layers can make a machine from
  /// this image.
  private static ImageLayout program(Path directory) throws IOException {
    ImageLayout program = ImageLayout.in(directory, "four");
    Path busybox = Files.copy(Path.of("/usr/bin/busybox"), directory.resolve("busybox"));
    LayerTree tree = LayerTree.in(directory, "four.tree").file("bin/busybox", busybox);
    Content layer = program.layer(Family.OCI, Packing.GZIP, tree);
    ObjectNode config = JsonNodeFactory.instance.objectNode();
    config.put("architecture", "amd64").put("os", "linux");
    config.putObject("config").putArray("Entrypoint").add("/bin/busybox").add("httpd");
    config.putObject("rootfs").put("type", "layers").putArray("diff_ids").add(layer.diffId());
    program.tag(
        ImageLayout.LATEST,
        program.manifest(
            Family.OCI, "", program.document(Family.OCI.config(), config), List.of(layer)));
    return program;
  }

  static Images in(Path directory) throws IOException, InterruptedException {
    return new Images(directory);
  }

  private static Path image(Path directory, String name, String pattern)
      throws IOException, InterruptedException {
    Path image = directory.resolve(name);
    QemuImg.create(image, QCOW2, "", "16M");
    Command.run(
        "qemu-io",
        "-f",
        QCOW2,
        "-c",
        "write -P " + pattern + " 1M 3M",
        "-c",
        // The disk has data at its end, so that a truncated copy differs from the disk.
        "write -P " + pattern + " 15M 1M",
        image.toString());
    return image;
  }

  /// Creates a qcow2 image with a backing file. The services refuse images with a backing file.
  private Path overlay(Path directory) throws IOException, InterruptedException {
    Path overlay = directory.resolve("overlay.qcow2");
    QemuImg.create(overlay, QCOW2, "backing_file=" + first + ",backing_fmt=qcow2", "16M");
    return overlay;
  }

  private static ImageLayout containerDisk(Path directory, String name, Path image)
      throws IOException {
    return ImageLayout.containerDisk(directory, name, Family.OCI, Packing.GZIP, image);
  }

  /// Returns the settings of an operator whose Jobs and streams can use these sources.
  Map<String, String> settings() {
    String registries =
        String.join(
            "\\,",
            registry.address(),
            corrupting.address(),
            recovering.address(),
            unavailable.address());
    return Map.of(
        "OPERATOR_ENVIRONMENT",
        "REGISTRY_COPY_INSECURE_REGISTRIES="
            + registries
            + ",REGISTRY_STREAM_ISCSI_INSECURE_REGISTRIES="
            + String.join("\\,", registry.address(), throttled.address())
            + ",IMAGE_TO_QCOW2_LAYERS_INSECURE_REGISTRIES="
            + registry.address()
            + ",HTTP_COPY_INSECURE_HOSTS="
            + web.address()
            // The service registry-copy does not retry, so that only the Job retries.
            + ",REGISTRY_COPY_RETRIES=0");
  }

  /// Returns the `spec` of a DiskImage for an image of the main registry.
  ///
  /// @param name `REPOSITORY:TAG`
  Map<String, Object> spec(String name) {
    return Map.of("registry", Map.of("image", reference(name)));
  }

  /// Returns the URL of the disk of `disk:1` on the web server.
  String url() {
    return "http://" + web.address() + "/" + FILE;
  }

  /// Pushes the image of `disk:1` under another name.
  ///
  /// @param name `REPOSITORY:TAG`
  void push(String name) throws IOException {
    push(layout, name);
  }

  /// Pushes the image of a layout to the main registry.
  ///
  /// @param name `REPOSITORY:TAG`
  void push(ImageLayout other, String name) throws IOException {
    registry.push(other, ImageLayout.LATEST, name);
  }

  /// Returns a proxy in front of the main registry. The proxy can limit the number and the rate of
  /// the bytes that streams receive.
  Valve throttled() {
    return throttled;
  }

  /// Returns `HOST:PORT` of the main registry.
  String address() {
    return registry.address();
  }

  String reference(String name) {
    return registry.address() + "/" + name;
  }

  /// Returns a reference to `disk:1` at a registry that sends a layer with a wrong byte.
  String corrupt() {
    return corrupting.address() + "/disk:latest";
  }

  /// Returns a reference to `disk:1` at a registry with a fault. At the first request for the
  /// layer, the registry sends half of the layer's bytes, and closes the connection.
  String cutOnce() {
    return recovering.address() + "/disk:latest";
  }

  /// Returns a reference to `disk:1` at a registry that answers 503 to each request for the tag
  /// `latest`.
  String unavailable() {
    return unavailable.address() + "/disk:latest";
  }

  /// Returns the disk of `disk:1` as a qcow2 image.
  Path first() {
    return first;
  }

  /// Returns the disk of `disk:2` as a qcow2 image.
  Path second() {
    return second;
  }

  /// Returns the disk of `disk:1` as a raw image.
  Path raw() {
    return raw;
  }

  /// Returns whether a raw disk exists and has the same content as a qcow2 image.
  static boolean holds(Path disk, Path qcow2) throws IOException {
    return Files.exists(disk)
        && Command.tried(
                    List.of(
                        "qemu-img",
                        "compare",
                        "-q",
                        "-f",
                        QCOW2,
                        "-F",
                        "raw",
                        qcow2.toString(),
                        disk.toString()))
                .status()
            == 0;
  }

  @Override
  public void close() throws IOException {
    corrupting.close();
    recovering.close();
    unavailable.close();
    throttled.close();
    registry.close();
    web.close();
  }
}
