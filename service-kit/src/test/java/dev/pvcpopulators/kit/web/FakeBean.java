package dev.pvcpopulators.kit.web;

import dev.pvcpopulators.kit.lifecycle.Cancellation;
import dev.pvcpopulators.kit.lifecycle.FakePopulator;
import dev.pvcpopulators.kit.lifecycle.Progress;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.PvcSource;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.VolumeSource;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/// The application's populator. A test or the setting `fake.end` determines the end of a creation.
@Singleton
public class FakeBean extends FakePopulator {
  private final Optional<String> end;

  @Inject
  FakeBean(@ConfigProperty(name = "fake.end") Optional<String> end) {
    this.end = end;
  }

  @Override
  public VolumeSource create(VolumeRequest request, Progress progress, Cancellation cancellation)
      throws VolumeException, InterruptedException {
    if (end.isEmpty()) {
      return super.create(request, progress, cancellation);
    }
    progress.total(10);
    progress.received(10);
    if (end.get().equals("success")) {
      return new PvcSource("made-by-a-job");
    }
    throw new VolumeException(new Failure.SourceNotFound("Pulling x: expected it, found nothing"));
  }
}
