package dev.pvcpopulators.kubernetes.manifest;

import dev.pvcpopulators.kit.settings.DerivedSettings;
import dev.pvcpopulators.kit.settings.Mistake;
import dev.pvcpopulators.kit.settings.NamedFiles;
import dev.pvcpopulators.kit.settings.PopulatorSettings;
import dev.pvcpopulators.kit.settings.StartCheck;
import dev.pvcpopulators.registrystreamiscsi.settings.RegistryStreamIscsiSettings;
import io.fabric8.kubernetes.api.model.Container;
import io.quarkus.vertx.http.runtime.VertxHttpConfig;
import io.quarkus.vertx.http.runtime.VertxHttpConfig.InsecureRequests;
import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.io.IOException;
import java.net.URL;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/// The settings of the service in a container. The service's own configuration mappings take these
/// settings from the container's arguments, from its environment, and from the built-in properties.
///
/// @param config the service's configuration
public record ContainerSettings(PopulatorService service, SmallRyeConfig config) {
  /// The ordinals of MicroProfile Config, section "Default ConfigSources". [#APPLICATION] is
  /// Quarkus's ordinal of `application.properties`.
  private static final int SYSTEM_PROPERTIES = 400;

  private static final int ENVIRONMENT = 300;
  private static final int APPLICATION = 250;
  private static final int DEFAULTS = 100;

  /// Values that no file contains. Quarkus sets the address `0.0.0.0` in production, and the JVM
  /// sets its temporary directory.
  private static final Map<String, String> AT_START =
      Map.of("quarkus.http.host", "0.0.0.0", "java.io.tmpdir", "/tmp");

  /// A cache of the settings. The key consists of the service, the environment and the flags. The
  /// cache saves time, because most checks need the settings of each container.
  private static final ConcurrentMap<List<Object>, ContainerSettings> BUILT =
      new ConcurrentHashMap<>();

  /// A port that the container listens on.
  ///
  /// @param port the number of the TCP port
  /// @param protocol the protocol of the port
  public record Listener(int port, Protocol protocol) {}

  public enum Protocol {
    HTTP,
    HTTPS,
    ISCSI
  }

  /// Returns the settings of the service in a container.
  ///
  /// @throws MalformedManifestException if a setting does not accept its value
  public static ContainerSettings of(ServiceContainer container) {
    return of(
        container.service(), Environment.of(container.container()), flags(container.container()));
  }

  /// Returns the mistakes in the settings. The service refuses to start with such a mistake. Does
  /// not report missing files, because the check `Volumes` tests that the container has the files.
  public static List<Mistake> mistakes(ServiceContainer container) {
    return mistakes(
        container.service(), Environment.of(container.container()), flags(container.container()));
  }

  public static List<Mistake> mistakes(
      PopulatorService service, Map<String, String> environment, Map<String, String> flags) {
    return new StartCheck(List.of(service.settings()), NamedFiles.elsewhere())
        .run(() -> builder(service, environment, flags))
        .mistakes();
  }

  /// Returns the properties that the service's `Launcher` sets for the container's arguments.
  private static Map<String, String> flags(Container container) {
    return container.getArgs().contains("--once") ? Map.of("populator.mode", "job") : Map.of();
  }

  public static ContainerSettings defaults(PopulatorService service) {
    return of(service, Map.of(), Map.of());
  }

  private static ContainerSettings of(
      PopulatorService service, Map<String, String> environment, Map<String, String> flags) {
    return BUILT.computeIfAbsent(
        List.of(service, environment, flags), _ -> build(service, environment, flags));
  }

  private static ContainerSettings build(
      PopulatorService service, Map<String, String> environment, Map<String, String> flags) {
    SmallRyeConfigBuilder builder = builder(service, environment, flags);
    SettingNames.mappings(service).forEach(builder::withMapping);
    try {
      return new ContainerSettings(service, builder.build());
    } catch (RuntimeException e) {
      List<String> said =
          mistakes(service, environment, flags).stream().map(Mistake::sentence).toList();
      throw new MalformedManifestException(
          "settings: " + (said.isEmpty() ? e.getMessage() : String.join("; ", said)), e);
    }
  }

  private static SmallRyeConfigBuilder builder(
      PopulatorService service, Map<String, String> environment, Map<String, String> flags) {
    try {
      return new SmallRyeConfigBuilder()
          .addDefaultInterceptors()
          .addDiscoveredInterceptors()
          .addDiscoveredConverters()
          .withValidateUnknown(false)
          .withSources(
              new PropertiesConfigSource(flags, "arguments", SYSTEM_PROPERTIES),
              new EnvConfigSource(environment, ENVIRONMENT),
              new PropertiesConfigSource(service.applicationProperties(), APPLICATION),
              new PropertiesConfigSource(sharedDefaults(), DEFAULTS),
              new PropertiesConfigSource(AT_START, "start", DEFAULTS - 1))
          .withSources(new DerivedSettings());
    } catch (IOException e) {
      throw new IllegalStateException("Reading the properties of " + service.id(), e);
    }
  }

  public PopulatorSettings populator() {
    return config.getConfigMapping(PopulatorSettings.class);
  }

  /// Returns the settings of registry-stream-iscsi, the only service that exports LUNs.
  public RegistryStreamIscsiSettings iscsi() {
    return config.getConfigMapping(RegistryStreamIscsiSettings.class);
  }

  public boolean job() {
    return populator().mode() == PopulatorSettings.Mode.JOB;
  }

  /// Returns the ports that the process opens.
  public List<Listener> listeners() {
    List<Listener> listeners = new ArrayList<>();
    VertxHttpConfig http = config.getConfigMapping(VertxHttpConfig.class);
    boolean tls =
        config.getOptionalValue("quarkus.tls.key-store.pem.0.cert", String.class).isPresent();
    if (http.hostEnabled()) {
      if (tls) {
        listeners.add(new Listener(http.sslPort(), Protocol.HTTPS));
      }
      if (!tls || http.insecureRequests().orElseThrow() != InsecureRequests.DISABLED) {
        listeners.add(new Listener(http.port(), Protocol.HTTP));
      }
    }
    if (service.equals(PopulatorService.REGISTRY_STREAM_ISCSI)) {
      listeners.add(new Listener(iscsi().port(), Protocol.ISCSI));
    }
    return listeners;
  }

  private static URL sharedDefaults() {
    return PopulatorService.resource(
        PopulatorSettings.class, "META-INF/microprofile-config.properties");
  }
}
