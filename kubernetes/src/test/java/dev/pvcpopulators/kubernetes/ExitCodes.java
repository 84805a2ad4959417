package dev.pvcpopulators.kubernetes;

import dev.pvcpopulators.volume.job.Launcher;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobSpec;
import io.fabric8.kubernetes.api.model.batch.v1.PodFailurePolicyRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// A Job of ours ends at once by the exit codes that say that trying again is of no use, by all of
/// them and by no other, and does not count a disruption.
final class ExitCodes implements Check {
  @Override
  public List<String> faults(Rendering rendering, Surroundings surroundings) {
    List<String> faults = new ArrayList<>();
    for (Workload workload : rendering.workloads()) {
      if (workload.resource().model() instanceof Job job) {
        workload.services().forEach(container -> judge(container, job.getSpec(), faults));
      }
    }
    return faults;
  }

  private static void judge(ServiceContainer container, JobSpec job, List<String> faults) {
    String id = container.workload().resource().id();
    if (!"Never".equals(container.workload().spec().getRestartPolicy())) {
      faults.add(id + ": expected restartPolicy: Never, which podFailurePolicy needs");
    }
    if (job.getBackoffLimit() == null || job.getTtlSecondsAfterFinished() == null) {
      faults.add(id + ": expected backoffLimit and ttlSecondsAfterFinished");
    }
    List<PodFailurePolicyRule> rules =
        job.getPodFailurePolicy() == null ? List.of() : job.getPodFailurePolicy().getRules();
    Set<Integer> ending = new TreeSet<>();
    Set<Integer> counted = new TreeSet<>();
    boolean disruption = false;
    for (PodFailurePolicyRule rule : rules) {
      if (rule.getOnExitCodes() != null) {
        String name = rule.getOnExitCodes().getContainerName();
        if (name != null && !name.equals(container.container().getName())) {
          faults.add(id + ": podFailurePolicy names a container " + name);
        }
        if (!"In".equals(rule.getOnExitCodes().getOperator())) {
          faults.add(id + ": expected exit codes by In");
        }
        ("FailJob".equals(rule.getAction()) ? ending : counted)
            .addAll(rule.getOnExitCodes().getValues());
      }
      disruption |=
          "Ignore".equals(rule.getAction())
              && rule.getOnPodConditions().stream()
                  .anyMatch(condition -> condition.getType().equals("DisruptionTarget"));
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
    if (!disruption) {
      faults.add(id + ": expected Ignore on the condition DisruptionTarget");
    }
  }
}
