package dev.pvcpopulators.kubernetes.manifest;

import dev.pvcpopulators.kit.settings.DerivedSettings;
import dev.pvcpopulators.kit.settings.Mistake;
import dev.pvcpopulators.kit.settings.NamedFiles;
import dev.pvcpopulators.kit.settings.PopulatorSettings;
import dev.pvcpopulators.kit.settings.StartCheck;
import dev.pvcpopulators.registrystreamiscsi.RegistryStreamIscsiSettings;
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

/// What a container's environment means to the service in it: the service's own configuration
/// mappings, made of that environment and of the properties that are built in.
///
/// @param config what the service would see
public record ContainerSettings(PopulatorService service, SmallRyeConfig config) {
  /// Of MicroProfile Config, section "Default ConfigSources".
  private static final int SYSTEM_PROPERTIES = 400;

  private static final int ENVIRONMENT = 300;
  private static final int APPLICATION = 250;
  private static final int DEFAULTS = 100;

  /// What Quarkus knows at its start and no file says: where production listens.
  private static final Map<String, String> AT_START =
      Map.of("quarkus.http.host", "0.0.0.0", "java.io.tmpdir", "/tmp");

  /// A port that the container listens on.
  ///
  /// @param port TCP
  /// @param protocol what is spoken
  public record Listener(int port, Protocol protocol) {}

  /// What is spoken on a port.
  public enum Protocol {
    HTTP,
    HTTPS,
    ISCSI
  }

  /// Makes the mappings.
  ///
  /// @throws MalformedManifestException if a value is none that the setting takes
  public static ContainerSettings of(ServiceContainer container) {
    return of(
        container.service(), Environment.of(container.container()), flags(container.container()));
  }

  /// The mistakes for which the service would refuse to start. The files that settings name are not
  /// here: [Volumes] judges whether they are in the container.
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

  /// What Launcher does with the flag.
  private static Map<String, String> flags(Container container) {
    return container.getArgs().contains("--once") ? Map.of("populator.mode", "job") : Map.of();
  }

  /// What a service does where nothing is set.
  public static ContainerSettings defaults(PopulatorService service) {
    return of(service, Map.of(), Map.of());
  }

  private static ContainerSettings of(
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

  /// The settings of the one service that exports LUNs.
  public RegistryStreamIscsiSettings iscsi() {
    return config.getConfigMapping(RegistryStreamIscsiSettings.class);
  }

  public boolean job() {
    return populator().mode() == PopulatorSettings.Mode.JOB;
  }

  /// The ports that the process opens.
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
