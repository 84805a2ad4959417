package dev.pvcpopulators.registrystreamiscsi;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.iscsitarget.session.SessionInfo;
import dev.pvcpopulators.kit.lifecycle.Cancellation;
import dev.pvcpopulators.kit.lifecycle.GrowingPopulator;
import dev.pvcpopulators.kit.lifecycle.Progress;
import dev.pvcpopulators.kit.lifecycle.Recovered;
import dev.pvcpopulators.kit.lifecycle.Registration;
import dev.pvcpopulators.registrystreamiscsi.lun.ExportedLun;
import dev.pvcpopulators.registrystreamiscsi.lun.WantedLun;
import dev.pvcpopulators.registrystreamiscsi.settings.LunRequest;
import dev.pvcpopulators.registrystreamiscsi.settings.RegistryStreamIscsiSettings;
import dev.pvcpopulators.volume.Creation;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Part;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.VolumeSource;
import io.quarkus.runtime.ShutdownEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A populator that exports the volume as an iSCSI target, with the LUNs of the settings and the
/// LUNs that clients add.
@Singleton
final class StreamPopulator implements GrowingPopulator {
  /// The maximum number of sessions listed in the status.
  private static final int SESSIONS_SHOWN = 64;

  private final RegistryStreamIscsiSettings settings;
  private final StreamedVolumes volumes;
  private volatile @Nullable StreamedVolume volume;

  StreamPopulator(RegistryStreamIscsiSettings settings, StreamedVolumes volumes) {
    this.settings = settings;
    this.volumes = volumes;
  }

  @Override
  public String name() {
    return "registry-stream-iscsi";
  }

  @Override
  public Set<String> overridableFields() {
    return LunRequest.FIELDS;
  }

  /// Creates the target with all LUNs of the settings, and the LUN of the request if the request
  /// has fields. If the request has fields, returns the [VolumeSource] of the request's LUN.
  /// Otherwise, returns the [VolumeSource] of the LUN with the lowest number.
  @Override
  public VolumeSource create(VolumeRequest request, Progress progress, Cancellation cancellation)
      throws VolumeException, InterruptedException {
    StreamedVolumes.Begun begun = volumes.begin(progress);
    StreamedVolume made = begun.volume();
    try (Registration _ = cancellation.onCancel(made.creation()::cancel)) {
      List<WantedLun> wanted = new ArrayList<>();
      begun.missing().forEach(it -> wanted.add(WantedLun.anew(it, null)));
      boolean nothing = wanted.isEmpty() && made.exports().luns().isEmpty();
      if (nothing || !(request.isEmpty() || made.exports().requestedBy(request).isPresent())) {
        wanted.add(WantedLun.anew(LunRequest.of(settings, request), request));
      }
      volume = made;
      made.creation().createAll(wanted);
      if (volumes.isJob()) {
        made.awaitComplete();
      }
      cancellation.check();
      ExportedLun answered =
          request.isEmpty()
              ? made.lun(made.publication().first())
              : made.exports().requestedBy(request).orElseThrow();
      progress.sourceDigest(answered.image().source());
      progress.virtualSize(answered.length());
      return made.exports().source(answered.number());
    } catch (Throwable e) {
      volume = null;
      volumes.discard(made);
      throw e;
    }
  }

  @Override
  public void watchFailures(Consumer<Failure> watcher) {
    volumes.watchFailures(watcher);
  }

  @Override
  public Creation add(VolumeRequest request) throws VolumeException, InterruptedException {
    StreamedVolume there = volume;
    if (there == null) {
      throw new VolumeException(new Failure.Cancelled("The volume was deleted"));
    }
    return there.creation().add(request);
  }

  @Override
  public void delete() throws VolumeException {
    StreamedVolume there = volume;
    volume = null;
    if (there != null) {
      there.delete();
    } else {
      volumes.removeAll();
    }
  }

  /// Exports LUNs of the previous run again: the LUNs that the settings still request, and the LUNs
  /// that clients requested. In a job, this method exports no LUN and returns empty; [#create] then
  /// exports these LUNs.
  @Override
  public Optional<Recovered> recover() throws VolumeException {
    Optional<StreamedVolume> found = volumes.reopen();
    volume = found.orElse(null);
    return found.map(StreamedVolume::recovered);
  }

  @Override
  public ObjectNode details() {
    ObjectNode details = JsonNodeFactory.instance.objectNode();
    StreamedVolume there = volume;
    if (there == null) {
      return details;
    }
    details.put("target", settings.target());
    ArrayNode luns = details.putArray("luns");
    there
        .publication()
        .broken()
        .forEach((lun, reason) ->
            luns.addObject().put("lun", lun).put("state", "failed").put("reason", reason));
    there.exports().luns().forEach(it -> luns.add(it.document()));
    Collection<SessionInfo> sessions = there.exports().sessions();
    details.put("sessions", sessions.size());
    ArrayNode initiators = details.putArray("initiators");
    sessions.stream()
        .limit(SESSIONS_SHOWN)
        .forEach(it ->
            initiators
                .addObject()
                .put("name", it.initiator())
                .put("address", it.remote().getAddress().getHostAddress())
                .put("since", it.since().toString())
                .put("commands", it.commands()));
    return details;
  }

  @Override
  public List<Part> parts() {
    StreamedVolume there = volume;
    return there == null ? List.of() : there.parts();
  }

  /// Returns the current volume, for metrics; empty if there is none.
  Optional<StreamedVolume> volume() {
    return Optional.ofNullable(volume);
  }

  /// Asks initiators to log out and flushes written data. Runs after the lifecycle has stopped
  /// accepting requests.
  void stop(@Observes @Priority(10) ShutdownEvent event) {
    StreamedVolume there = volume;
    if (there != null) {
      there.close();
    }
  }
}
