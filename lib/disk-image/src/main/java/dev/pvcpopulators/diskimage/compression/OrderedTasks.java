package dev.pvcpopulators.diskimage.compression;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/// Runs tasks on a few threads. The results are taken in the order in which the tasks were
/// submitted. No thread exists before the first task is submitted. The caller must limit the number
/// of tasks whose results have not been taken yet. The caller must call all methods on the same
/// thread.
public final class OrderedTasks<T> implements AutoCloseable {
  private final int threads;
  private final String name;
  private final Deque<Future<T>> running = new ArrayDeque<>();
  private @Nullable ExecutorService executor;

  /// Creates an empty sequence of tasks.
  ///
  /// @param name the beginning of the names of the threads
  public OrderedTasks(int threads, String name) {
    this.threads = threads;
    this.name = name;
  }

  /// Adds a task, which starts as soon as a thread is idle.
  public void submit(Callable<T> task) {
    if (executor == null) {
      executor =
          Executors.newFixedThreadPool(
              threads, Thread.ofPlatform().daemon().name(name, 0).factory());
    }
    running.add(executor.submit(task));
  }

  /// Returns the number of tasks whose results have not been taken yet.
  public int size() {
    return running.size();
  }

  /// Takes the result of the oldest task; blocks until the task has ended.
  ///
  /// @throws IOException if the task threw an `IOException`, or if the calling thread is
  ///   interrupted
  /// @throws java.util.NoSuchElementException if there is no task
  public T next() throws IOException {
    try {
      return running.remove().get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted =
          new InterruptedIOException("Interrupted while waiting for a thread of " + name);
      interrupted.initCause(e);
      throw interrupted;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IllegalStateException("A task of " + name + " failed", e);
    }
  }

  /// Interrupts the threads and waits for their end. Afterwards, the caller may free memory that
  /// the tasks used.
  @Override
  public void close() {
    if (executor != null) {
      executor.shutdownNow();
      executor.close();
    }
  }
}
