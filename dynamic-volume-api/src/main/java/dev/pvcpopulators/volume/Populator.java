package dev.pvcpopulators.volume;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What a service implements: how its volume is made, removed and found again. A service has one as
/// its `@ApplicationScoped` or `@Singleton` bean.
///
/// [VolumeLifecycle] calls [#create], [#delete] and [#recover] one at a time, never two at once,
/// each on a virtual thread of its own, and [#recover] before anything else.
public interface Populator {
  /// The service's name in documents, logs and metrics: `http-upload`.
  String name();

  /// The fields that a body of `PUT /volume` may hold.
  Set<String> overridableFields();

  /// Makes the volume and returns when it can be used. When it throws, it leaves nothing behind.
  ///
  /// When the creation is cancelled, the callbacks of `cancellation` run and then this thread is
  /// interrupted; [#delete] follows on another thread once this method has ended.
  ///
  /// @param request fields that override the configuration, all of them allowed
  /// @param progress where to tell how far it is; cheap enough for every buffer
  /// @return what a virtual machine refers to the volume by
  /// @throws VolumeException with the reason why there is no volume
  /// @throws InterruptedException when cancelled
  VolumeSource create(VolumeRequest request, Progress progress, Cancellation cancellation)
      throws VolumeException, InterruptedException;

  /// Removes what this service made and nothing else; nothing being there is not an error.
  void delete() throws VolumeException;

  /// After a start: removes the leftovers of a crash, and tells of the complete volume that is
  /// there, if there is one that this service made.
  Optional<Recovered> recover() throws VolumeException;

  /// What only the running service can tell of its volume, as it is now: shown among the `details`
  /// of the status beside what the creation told. Cheap; called from any thread at any time.
  default ObjectNode details() {
    return JsonNodeFactory.instance.objectNode();
  }

  /// What the volume is made of as long as the service runs, such as LUNs; what a creation moves is
  /// told by [Progress#parts]. Cheap; called from any thread at any time.
  default List<Part> parts() {
    return List.of();
  }
}
