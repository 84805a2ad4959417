package dev.pvcpopulators.it.torture.subject;

import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.torture.fault.ConnectionFault;
import dev.pvcpopulators.it.torture.fault.Fault;
import dev.pvcpopulators.it.torture.fault.ProcessFault;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;

/// A subject whose process fills one volume, as a service or as a Job.
abstract class VolumeSubject implements Subject {
  /// A round with a [ProcessFault] begins with an older disk with a probability of 1 in `OLDER_IN`.
  private static final int OLDER_IN = 6;

  protected final boolean once;
  protected final Workspace place;
  protected final FinishTime tail = new FinishTime();
  private final String name;

  VolumeSubject(Path work, String service, boolean once) throws IOException {
    this.once = once;
    this.name = once ? service + "-job" : service;
    this.place = Workspace.in(work, name);
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final Path temporary() {
    return place.temporary();
  }

  /// Returns the faults that can occur for a subject that pulls. For a Job, omits
  /// [ConnectionFault#CLIENT_GONE], because a Job that pulls has no client.
  final List<Fault> ofPull(List<Fault> faults) {
    return faults.stream().filter(fault -> !once || fault != ConnectionFault.CLIENT_GONE).toList();
  }

  /// Returns whether the round begins with an older disk in the volume.
  static boolean older(Round round, SplittableRandom random) {
    return round.fault() instanceof ProcessFault && random.nextInt(OLDER_IN) == 0;
  }

  /// Returns the launch. If there is an older disk, the launch permits the process to replace this
  /// disk.
  static Launch overwriting(Launch launch, boolean older) {
    return older ? launch.with("POPULATOR_OVERWRITE", "true") : launch;
  }
}
