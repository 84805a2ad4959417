package dev.pvcpopulators.kubernetes.check;

import dev.pvcpopulators.kit.job.Launcher;
import dev.pvcpopulators.kubernetes.manifest.Rendering;
import dev.pvcpopulators.kubernetes.manifest.ServiceContainer;
import dev.pvcpopulators.kubernetes.manifest.Surroundings;
import dev.pvcpopulators.kubernetes.manifest.Workload;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobSpec;
import io.fabric8.kubernetes.api.model.batch.v1.PodFailurePolicyRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/// Checks the failure policy of our Jobs. A Job must end at once after exactly those exit codes for
/// which a retry is useless. A Job must not count a disruption as a failure. Only one pod of a Job
/// may run at a time.
final class ExitCodes implements Check {
  /// The minimum time limit of a Job, in seconds. A shorter limit can interrupt the copy of a large
  /// disk.
  private static final long SHORTEST_SECONDS = 3600;

  @Override
  public List<String> faults(Rendering rendering, Surroundings surroundings) {
    List<String> faults = new ArrayList<>();
    for (Workload workload : rendering.workloads()) {
      if (workload.resource().model() instanceof Job job) {
        workload
            .services()
            .forEach(container -> {
              attempts(container, job.getSpec(), faults);
              policy(container, job.getSpec(), faults);
            });
      }
    }
    return faults;
  }

  private static void attempts(ServiceContainer container, JobSpec job, List<String> faults) {
    String id = container.workload().resource().id();
    if (!"Never".equals(container.workload().spec().getRestartPolicy())) {
      faults.add(id + ": expected restartPolicy: Never, which podFailurePolicy needs");
    }
    if (job.getBackoffLimit() == null || job.getTtlSecondsAfterFinished() == null) {
      faults.add(id + ": expected backoffLimit and ttlSecondsAfterFinished");
    }
    Long deadline = job.getActiveDeadlineSeconds();
    if (deadline == null || deadline < SHORTEST_SECONDS) {
      faults.add(
          id
              + ": expected activeDeadlineSeconds of "
              + SHORTEST_SECONDS
              + " or more, found "
              + deadline);
    }
    // If a Job has a podFailurePolicy, the API server refuses every podReplacementPolicy other than
    // Failed.
    if (!"Failed".equals(job.getPodReplacementPolicy())) {
      faults.add(
          id + ": expected podReplacementPolicy: Failed, found " + job.getPodReplacementPolicy());
    }
    int parallelism = Objects.requireNonNullElse(job.getParallelism(), 1);
    int completions = Objects.requireNonNullElse(job.getCompletions(), 1);
    if (parallelism != 1 || completions != 1) {
      faults.add(
          id
              + ": expected one pod at a time and one success, found parallelism "
              + parallelism
              + " and completions "
              + completions);
    }
  }

  private static void policy(ServiceContainer container, JobSpec job, List<String> faults) {
    String id = container.workload().resource().id();
    List<PodFailurePolicyRule> rules =
        job.getPodFailurePolicy() == null ? List.of() : job.getPodFailurePolicy().getRules();
    Set<Integer> ending = new TreeSet<>();
    Set<Integer> counted = new TreeSet<>();
    for (PodFailurePolicyRule rule : rules) {
      if (rule.getOnExitCodes() != null) {
        String name = rule.getOnExitCodes().getContainerName();
        if (name != null && !name.equals(container.container().getName())) {
          faults.add(id + ": podFailurePolicy names a container " + name);
        }
        if (!"In".equals(rule.getOnExitCodes().getOperator())) {
          faults.add(id + ": expected exit codes by In");
        }
        if ("Ignore".equals(rule.getAction())) {
          faults.add(
              id
                  + ": tries again without end on the exit codes "
                  + rule.getOnExitCodes().getValues());
        }
        ("FailJob".equals(rule.getAction()) ? ending : counted)
            .addAll(rule.getOnExitCodes().getValues());
      }
    }
    Set<Integer> permanent = Launcher.permanentExitCodes();
    if (!ending.equals(permanent)) {
      faults.add(
          id + ": expected FailJob on " + permanent + ", which are permanent, found " + ending);
    }
    counted.retainAll(permanent);
    if (!counted.isEmpty()) {
      faults.add(id + ": permanent exit codes are tried again: " + counted);
    }
    // Kubernetes applies the first rule that matches. An evicted pod also has an exit code, so the
    // rule for disruptions must come before the rules for exit codes.
    if (rules.isEmpty() || !ignoresDisruption(rules.getFirst())) {
      faults.add(id + ": expected first of all Ignore on the condition DisruptionTarget");
    }
  }

  private static boolean ignoresDisruption(PodFailurePolicyRule rule) {
    return "Ignore".equals(rule.getAction())
        && rule.getOnPodConditions().stream()
            .anyMatch(condition ->
                condition.getType().equals("DisruptionTarget")
                    // If the condition states no status, the API server sets `True`.
                    && "True".equals(Objects.requireNonNullElse(condition.getStatus(), "True")));
  }
}
