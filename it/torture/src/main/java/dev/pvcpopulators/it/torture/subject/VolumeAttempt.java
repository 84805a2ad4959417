package dev.pvcpopulators.it.torture.subject;

import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.torture.content.VolumeContent;
import dev.pvcpopulators.it.torture.outcome.Attempt;
import dev.pvcpopulators.it.torture.outcome.VolumeState;
import java.io.IOException;
import java.nio.file.Path;

/// One job that fills a Filesystem volume: a process in Job mode (`--once`), or a request to a
/// running service.
abstract sealed class VolumeAttempt implements Attempt permits CopyAttempt, UploadAttempt {
  protected final boolean once;
  protected final Workspace place;
  protected final VolumeContent contents;
  private final Launch launch;

  VolumeAttempt(Launch launch, boolean once, Workspace place, VolumeContent contents) {
    this.launch = launch;
    this.once = once;
    this.place = place;
    this.contents = contents;
  }

  @Override
  public final Launch launch() {
    return launch;
  }

  @Override
  public final boolean once() {
    return once;
  }

  @Override
  public final boolean wantsOwnProcess() {
    return contents.hasOlder();
  }

  @Override
  public final Path volume() {
    return contents.path();
  }

  @Override
  public final void furnish() throws IOException {
    place.forget();
    contents.furnish();
  }

  @Override
  public final VolumeState found() throws IOException, InterruptedException {
    return contents.found();
  }

  @Override
  public final void clear(Service service) throws IOException, InterruptedException {
    if (once) {
      contents.delete();
    } else {
      service.http().delete("/volume").expect(204);
    }
    contents.checkClear();
  }
}
