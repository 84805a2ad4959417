package dev.pvcpopulators.imagetoqcow2layers;

import dev.pvcpopulators.imagetoqcow2layers.machine.Machines;
import dev.pvcpopulators.imagetoqcow2layers.machine.MadeImage;
import dev.pvcpopulators.imagetoqcow2layers.store.LayerStore;
import dev.pvcpopulators.kit.disk.DiskVolume;
import dev.pvcpopulators.kit.lifecycle.Cancellation;
import dev.pvcpopulators.kit.lifecycle.Populator;
import dev.pvcpopulators.kit.lifecycle.Progress;
import dev.pvcpopulators.kit.lifecycle.Recovered;
import dev.pvcpopulators.kit.settings.ClaimName;
import dev.pvcpopulators.kit.settings.PopulatorSettings;
import dev.pvcpopulators.kit.source.RegistryAccess;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.VolumeSource;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/// Makes the layers of an image, the machine that uses these layers and, if requested, the
/// flattened disk.
@Singleton
final class LayersPopulator implements Populator {
  private static final Logger LOG = Logger.getLogger(LayersPopulator.class);

  private final PopulatorSettings shared;
  private final LayersSettings settings;
  private final Conversion.Places places;
  private final boolean lookingOnly;

  /// The name of the machine that this process made or found; empty if there is no such machine.
  private volatile Optional<String> machine = Optional.empty();

  LayersPopulator(
      PopulatorSettings shared,
      LayersSettings settings,
      DiskVolume volume,
      ClaimName claim,
      @ConfigProperty(name = Plan.LOOKING_ONLY, defaultValue = "false") boolean lookingOnly) {
    this.shared = shared;
    this.settings = settings;
    this.places =
        new Conversion.Places(
            StoreLayout.of(shared, settings),
            settings.kernel(),
            volume,
            claim,
            new RegistryAccess(settings, LayersRequest.PREFIX),
            shared.overwrite());
    this.lookingOnly = lookingOnly;
  }

  @Override
  public String name() {
    return "image-to-qcow2-layers";
  }

  @Override
  public Set<String> overridableFields() {
    return LayersRequest.FIELDS;
  }

  @Override
  public VolumeSource create(VolumeRequest request, Progress progress, Cancellation cancellation)
      throws VolumeException, InterruptedException {
    LayersRequest asked = LayersRequest.of(settings, request);
    try {
      new Conversion(asked, places, progress, cancellation).run();
      machine = Optional.of(asked.name());
      return places.volume().source();
    } catch (IOException e) {
      cancellation.check();
      throw new VolumeException(LayersFailures.of(e, asked, places.store(), places.volume()), e);
    }
  }

  /// Removes the machine and the flattened disk. Also removes the layers that no other machine
  /// uses, if no conversion and no other clean-up is running.
  @Override
  public void delete() throws VolumeException {
    try {
      if (machine.isPresent()) {
        new Machines(places.store().images()).remove(machine.get());
      }
      places.volume().delete();
      if (Cleanup.run(places.store()).isEmpty()) {
        LOG.infof(
            "Skipped the clean-up because another process uses the layers: store=%s",
            places.store().root());
      }
      machine = Optional.empty();
    } catch (IOException e) {
      throw new VolumeException(failure(e, "Deleting the machine"), e);
    }
  }

  @Override
  public Optional<Recovered> recover() throws VolumeException {
    if (lookingOnly) {
      return Optional.empty();
    }
    try {
      LayerStore.open(places.store().layers()).removeLeftovers();
      new Machines(places.store().images()).removeLeftovers();
      if (settings.flatten()) {
        places.volume().removeLeftovers();
      }
      return switch (shared.mode()) {
        // A job compares the existing machine with the requested machine later, during the
        // conversion.
        case JOB -> Optional.empty();
        case SERVICE -> made();
      };
    } catch (IOException e) {
      throw new VolumeException(failure(e, "Looking at the volume"), e);
    }
  }

  private Failure failure(IOException e, String action) {
    return StoreFailures.of(e, action, places.store().root())
        .orElseGet(() -> places.volume().failureOf(e, action));
  }

  private Optional<Recovered> made() throws IOException, VolumeException {
    if (settings.image().isEmpty()) {
      return Optional.empty();
    }
    LayersRequest configured = LayersRequest.of(settings, VolumeRequest.empty());
    Optional<MadeImage> found = new Machines(places.store().images()).find(configured.name());
    if (found.isEmpty()
        || !found.get().image().equals(configured.reference().toString())
        || (configured.flatten() && !places.flattened(found.get()))) {
      return Optional.empty();
    }
    LOG.infof(
        "Found the machine made before: name=%s digest=%s",
        configured.name(), found.get().digest());
    machine = Optional.of(configured.name());
    return Optional.of(
        new Recovered(
            places.volume().source(),
            null,
            -1,
            found.get().digest(),
            null,
            configured.geometry().size()));
  }
}
