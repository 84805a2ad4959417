package dev.pvcpopulators.it.contract;

import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.Valve;
import dev.pvcpopulators.it.container.Container;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.Registry;
import java.io.IOException;
import java.nio.file.Path;

/// Two images in a registry behind a [Valve]: the configured image, and another image.
///
/// @param length the sum of the lengths of the configured image's layers, in bytes
record HeldImages(Registry registry, Valve valve, long length) implements AutoCloseable {
  private static final String CONFIGURED = "contract:configured";
  private static final String MISSING = "contract:missing";
  private static final String OTHER = "contract:other";

  /// Starts the registry and the valve.
  ///
  /// @param directory the parent directory of the registry's directory
  static HeldImages of(Path directory, ImageLayout configured, ImageLayout other)
      throws IOException, InterruptedException {
    Registry registry = Registry.open(directory.resolve("registry"));
    registry.push(configured, ImageLayout.LATEST, CONFIGURED);
    registry.push(other, ImageLayout.LATEST, OTHER);
    long length = configured.layers(ImageLayout.LATEST).stream().mapToLong(Content::size).sum();
    return new HeldImages(registry, Valve.before(registry.port()), length);
  }

  /// Configures a service to pull the configured image through the valve.
  ///
  /// @param prefix the prefix of the service's settings
  Container configure(Container container, String prefix) {
    return container
        .with(prefix + "IMAGE", valve.image(CONFIGURED))
        .with(prefix + "INSECURE_REGISTRIES", valve.address());
  }

  /// Configures a service to use an image that the registry does not have.
  Container misconfigure(Container container, String prefix) {
    return configure(container, prefix).with(prefix + "IMAGE", valve.image(MISSING));
  }

  String refusedBody() {
    return "image: " + valve.image(MISSING) + "\n";
  }

  static ContractSubject.Refusal refusal() {
    return new ContractSubject.Refusal(404, "source-not-found", CopyOutcome.EX_NOINPUT);
  }

  String otherBody() {
    return "image: " + valve.image(OTHER) + "\n";
  }

  void hold() {
    valve.only(length / 2);
  }

  ContractSubject.Half half() {
    return ContractSubject.behind(valve);
  }

  @Override
  public void close() throws IOException {
    valve.close();
    registry.close();
  }
}
