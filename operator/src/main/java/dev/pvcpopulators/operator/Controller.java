package dev.pvcpopulators.operator;

import dev.pvcpopulators.operator.api.Group;
import dev.pvcpopulators.operator.child.FillingJob;
import dev.pvcpopulators.operator.child.JobSettings;
import dev.pvcpopulators.operator.child.StreamChildren;
import dev.pvcpopulators.operator.child.Tokens;
import dev.pvcpopulators.operator.client.ApiServer;
import dev.pvcpopulators.operator.client.SharedWatches;
import dev.pvcpopulators.operator.plan.Claims;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.ConfigurationServiceOverrider;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;
import io.javaoperatorsdk.operator.processing.retry.GenericRetry;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.Quarkus;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// Creates the operator's parts, connects them, and runs them.
@ApplicationScoped
class Controller {
  private static final System.Logger LOG = System.getLogger(Controller.class.getName());
  private static final int RANDOM_KEY = 32;

  private static final Duration LEASE = Duration.ofSeconds(15);
  private static final Duration RENEW = Duration.ofSeconds(10);
  private static final Duration RETRY = Duration.ofSeconds(2);

  /// The time after which a claim or dynamic volume is reconciled again even without an event. The
  /// tests wait for a shorter time, so that a test fails if an event is missing.
  private static final Duration LONGEST_PAUSE = Duration.ofHours(1);

  private final OperatorSettings settings;
  private final MeterRegistry registry;
  private final Clock clock = Clock.systemUTC();
  private final KubernetesClient client = ApiServer.client();
  private final Events events = new Events(client, clock);
  private final SharedWatches shared = new SharedWatches();
  private final Tokens tokens;
  private final JobSettings jobs;
  private final Operator operator;
  private volatile boolean stopping;
  private volatile boolean leading;

  @Inject
  Controller(OperatorSettings settings, MeterRegistry registry) {
    this.settings = settings;
    this.registry = registry;
    tokens = new Tokens(key(settings));
    jobs = jobSettings(settings);
    leading = !settings.leaderElection();
    operator = new Operator(this::configure);
    operator.register(
        claims(),
        overrider ->
            overrider
                .withName("claims")
                .watchingAllNamespaces()
                .withGenerationAware(false)
                .withGenericFilter(Claims::ours)
                .withReconciliationMaxInterval(LONGEST_PAUSE)
                .withRetry(retry()));
    operator.register(
        new ImageReconciler(client, shared, clock),
        overrider -> overrider.withName("images").watchingAllNamespaces().withRetry(retry()));
    if (settings.dynamicVolumes()) {
      operator.register(
          volumes(),
          overrider ->
              overrider
                  .withName("volumes")
                  .watchingAllNamespaces()
                  .withGenerationAware(false)
                  .withFinalizer(Group.FINALIZER)
                  .withReconciliationMaxInterval(LONGEST_PAUSE)
                  .withRetry(retry()));
    }
  }

  private void configure(ConfigurationServiceOverrider overrider) {
    overrider
        .withKubernetesClient(client)
        .withConcurrentReconciliationThreads(settings.threads())
        .checkingCRDAndValidateLocalModel(false)
        .withUseSSAToPatchPrimaryResource(false)
        .withCloseClientOnStop(true);
    if (settings.leaderElection()) {
      overrider.withLeaderElectionConfiguration(
          new LeaderElectionConfiguration(
              settings.leaseName(),
              settings.namespace(),
              LEASE,
              RENEW,
              RETRY,
              identity(),
              new LeaderCallbacks(() -> leading = true, this::stoppedLeading, _ -> {}),
              false));
    }
  }

  private ClaimReconciler claims() {
    Followers followers = new Followers(client, settings.statusPort(), tokens, events);
    PopulationMetrics metrics = new PopulationMetrics(registry, clock);
    StreamAct streams = new StreamAct(client, new StreamChildren(jobs, tokens));
    ClaimReconciler claims =
        new ClaimReconciler(
            new Act(client, new FillingJob(jobs, tokens), tokens, followers, clock),
            settings.dynamicVolumes() ? new StreamReconciler(streams, events) : null,
            shared,
            events,
            metrics,
            clock);
    followers.lookUp(claims::current);
    metrics.watch(claims::populations, () -> leading);
    return claims;
  }

  private VolumeReconciler volumes() {
    Conversations conversations = new Conversations(tokens, settings.answerLimit());
    VolumeMetrics metrics = new VolumeMetrics(registry);
    VolumeReconciler volumes =
        new VolumeReconciler(
            new VolumeAct(client, tokens, conversations, clock),
            conversations,
            shared,
            events,
            metrics,
            clock,
            settings.keyFile().filter(Files::exists).isPresent());
    metrics.watch(volumes::volumes);
    return volumes;
  }

  private static GenericRetry retry() {
    return new GenericRetry()
        .setInitialInterval(500)
        .setIntervalMultiplier(2)
        .setMaxInterval(30_000)
        .withoutMaxAttempts();
  }

  /// Starts the watches. This replica reconciles only while it is the leader.
  void start() {
    operator.start();
  }

  /// Returns whether all watches are synchronized with the cluster.
  boolean healthy() {
    return operator.getRuntimeInfo().isStarted()
        && operator.getRuntimeInfo().allEventSourcesAreHealthy();
  }

  @PreDestroy
  void stop() {
    stopping = true;
    operator.stop();
  }

  /// Ends the process, unless the process is already stopping. A replica that lost its lease still
  /// has the watches and queues of a leader. The SDK's own exit is not used, because during a
  /// shutdown it would wait for the end of that same shutdown.
  private void stoppedLeading() {
    leading = false;
    if (!stopping) {
      Quarkus.asyncExit(1);
    }
  }

  private static String identity() {
    String host = System.getenv("HOSTNAME");
    return (host == null ? "operator" : host) + "_" + UUID.randomUUID();
  }

  private static byte[] key(OperatorSettings settings) {
    Optional<Path> file = settings.keyFile();
    if (file.isEmpty() || !Files.exists(file.get())) {
      file.ifPresent(missing ->
          LOG.log(
              System.Logger.Level.WARNING,
              "OPERATOR_KEY_FILE={0} is missing: a random key is used, and populations that began"
                  + " before a restart show no progress",
              missing));
      byte[] key = new byte[RANDOM_KEY];
      new SecureRandom().nextBytes(key);
      return key;
    }
    try {
      return Files.readAllBytes(file.get());
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "OPERATOR_KEY_FILE=" + file.get() + ": expected a readable file", e);
    }
  }

  private static JobSettings jobSettings(OperatorSettings settings) {
    Map<String, String> environment = new LinkedHashMap<>();
    for (String variable : settings.environment().orElse(List.of())) {
      int equals = variable.indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException(
            "OPERATOR_ENVIRONMENT: expected NAME=VALUE, found " + variable);
      }
      environment.put(variable.substring(0, equals).strip(), variable.substring(equals + 1));
    }
    return new JobSettings(
        settings.imagePrefix(),
        settings.imageTag(),
        settings.imagePullPolicy(),
        settings.statusPort(),
        environment);
  }
}
