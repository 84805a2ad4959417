package dev.pvcpopulators.it;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// A launch of registry-stream-iscsi with a fixed port, so that the portal has the same address
/// after a restart.
///
/// @param launch the launch with all settings
/// @param port the port of the portal
public record StreamLaunch(Launch launch, int port) {
  public static final String NAME = "registry-stream-iscsi";
  public static final String TARGET = "iqn.2017-01.io.kubevirt:sn.42";

  private static final String PREFIX = "REGISTRY_STREAM_ISCSI_";

  /// Returns a launch with a free port.
  ///
  /// @param cache the directory of images and overlays
  public static StreamLaunch on(Path cache) throws IOException {
    int port = FreePort.any();
    return new StreamLaunch(Launch.of(NAME, cache), port)
        .with("HOST", "127.0.0.1")
        .with("PORT", Integer.toString(port))
        .with("TARGET", TARGET);
  }

  /// Adds a setting of the service.
  ///
  /// @param setting the name without the service's prefix
  public StreamLaunch with(String setting, String value) {
    return new StreamLaunch(launch.with(PREFIX + setting, value), port);
  }

  /// Configures one image, from a registry with plain HTTP.
  public StreamLaunch image(String image) {
    return with("IMAGE", image).insecure(image);
  }

  /// Configures the image of one of several LUNs, from a registry with plain HTTP.
  public StreamLaunch image(int index, String image) {
    return with("LUNS_" + index + "__IMAGE", image).insecure(image);
  }

  private StreamLaunch insecure(String image) {
    String address = image.replaceFirst("^docker://([^/]+)/.*", "$1");
    String known = launch.settings().getOrDefault(PREFIX + "INSECURE_REGISTRIES", address);
    return with(
        "INSECURE_REGISTRIES",
        List.of(known.split(",")).contains(address) ? known : known + "," + address);
  }

  /// Returns the same launch without [Launch#FLAGS].
  public StreamLaunch shipped() {
    return new StreamLaunch(launch.shipped(), port);
  }

  public Service start() throws IOException, InterruptedException {
    return launch.start();
  }

  /// Starts the service and returns its exit status. Fails the test if the service does not end
  /// within ten minutes.
  public int refused() throws IOException, InterruptedException {
    return launch.refused();
  }

  /// Requests the volume, and returns its LUN. Fails the test unless the request succeeds.
  public static IscsiLun put(Service service) throws IOException, InterruptedException {
    return put(service, "");
  }

  /// Requests the volume with a body, and returns the LUN. Fails the test unless the request
  /// succeeds.
  ///
  /// @param yaml the body; may be empty
  public static IscsiLun put(Service service, String yaml)
      throws IOException, InterruptedException {
    Answer answer = tryPut(service, yaml);
    if (answer.status() != 200) {
      answer.expect(201);
    }
    return IscsiLun.of(answer);
  }

  /// Requests the volume, and returns any answer, including a refusal.
  ///
  /// @param yaml the body; may be empty
  public static Answer tryPut(Service service, String yaml)
      throws IOException, InterruptedException {
    byte[] body = yaml.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    return body.length == 0
        ? service.http().put("/volume", body, "Accept", "application/json")
        : service
            .http()
            .put("/volume", body, "Accept", "application/json", "Content-Type", "application/yaml");
  }
}
