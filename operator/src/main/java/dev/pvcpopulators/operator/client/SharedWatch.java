package dev.pvcpopulators.operator.client;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.AbstractEventSource;
import io.javaoperatorsdk.operator.processing.event.source.Cache;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.ResourceEventAware;
import io.javaoperatorsdk.operator.processing.event.source.inbound.SimpleInboundEventSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;

/// The watch of one controller's primary resources, shared with other controllers, so that the
/// process lists and watches each kind only once.
public final class SharedWatch<R extends HasMetadata> {
  private final Class<R> kind;
  private final CompletableFuture<Cache<R>> synchronizedCache = new CompletableFuture<>();
  private final List<Consumer<R>> listeners = new CopyOnWriteArrayList<>();

  SharedWatch(Class<R> kind) {
    this.kind = kind;
  }

  /// Returns the event source that the controller of the watched resources registers.
  public EventSource<R, R> owner(EventSourceContext<R> context) {
    return new Announcer(context.getPrimaryCache());
  }

  /// Returns an event source that the caller, another controller, registers. After a change of a
  /// watched resource, the source emits an event for each of the caller's primary resources that
  /// the change affects.
  ///
  /// @param affected returns the caller's primary resources that a changed resource affects; called
  ///   on the thread of the watch, after the caller's primary resources are synchronized
  public <P extends HasMetadata> EventSource<Void, P> changes(
      Function<R, Set<ResourceID>> affected) {
    SimpleInboundEventSource<P> source =
        new SimpleInboundEventSource<>("shared-" + kind.getSimpleName());
    listeners.add(changed -> {
      // Before the source runs, the caller's primary resources are not synchronized, and none of
      // them is reconciled.
      if (source.isRunning()) {
        affected.apply(changed).forEach(source::propagateEvent);
      }
    });
    return source;
  }

  /// Returns the resource from the watch's cache; empty if the cache does not contain the resource.
  /// Waits until the first list is complete.
  public Optional<R> get(ResourceID id) {
    return synchronizedCache.join().get(id);
  }

  /// Receives the events of the controller's primary resources, including the events that the
  /// controller's filters reject.
  private final class Announcer extends AbstractEventSource<R, R> implements ResourceEventAware<R> {
    private final Cache<R> cache;

    Announcer(Cache<R> cache) {
      super(kind, "announcer");
      this.cache = cache;
    }

    /// Makes the cache available to [SharedWatch#get]. The SDK calls this method after the first
    /// list of the primary resources.
    @Override
    public void start() {
      super.start();
      synchronizedCache.complete(cache);
    }

    @Override
    public void onResourceCreated(R created) {
      announce(created);
    }

    @Override
    public void onResourceUpdated(R updated, R before) {
      announce(updated);
    }

    @Override
    public void onResourceDeleted(R deleted) {
      announce(deleted);
    }

    private void announce(R changed) {
      listeners.forEach(listener -> listener.accept(changed));
    }

    @Override
    public Set<R> getSecondaryResources(R primary) {
      return Set.of();
    }
  }
}
