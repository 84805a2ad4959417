package dev.pvcpopulators.kit.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConnectionLimiterTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final ConnectionBounds BOUNDS = new ConnectionBounds(8, 2, 1_000, 100, PATIENCE);

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final List<String> ended = new ArrayList<>();

  /// The time that the clock shows. The tests set it.
  private Duration now = Duration.ZERO;

  private final ConnectionLimiter connections =
      new ConnectionLimiter(BOUNDS, registry, () -> now.toNanos(), true);

  private ConnectionState arrive(String name) {
    return connections.arrive(() -> ended.add(name));
  }

  private double closed(String reason) {
    return registry
        .get("pvc.populator.http.connections.closed")
        .tag("reason", reason)
        .counter()
        .count();
  }

  private double having(String state) {
    return registry.get("pvc.populator.http.connections").tag("state", state).gauge().value();
  }

  @Test
  void evictsTheLongestIdleConnection() {
    connections.begin(arrive("a"));
    ConnectionState b = arrive("b");
    arrive("c");
    connections.begin(b);
    connections.await(b);
    List.of("1", "2", "3", "4", "d").forEach(this::arrive);
    assertEquals(List.of(), ended);
    arrive("e");
    assertEquals(List.of("c"), ended);
    arrive("f");
    assertEquals(List.of("c", "b"), ended);
    assertEquals(2, closed("crowd"));
    assertEquals(1, having("busy"));
    assertEquals(7, having("waiting"));
  }

  @Test
  void whereAllAreBusyAnotherOneHasNoPlace() {
    for (String name : List.of("1", "2", "3", "4", "a", "b", "c", "d")) {
      connections.begin(arrive(name));
    }
    arrive("e");
    assertEquals(List.of("e"), ended);
  }

  @Test
  void reservesConnectionsForFastRequests() {
    ConnectionState a = arrive("a");
    connections.begin(a);
    connections.begin(arrive("b"));
    assertFalse(connections.crowded());
    connections.begin(arrive("c"));
    assertTrue(connections.crowded());
    connections.leave(a);
    assertFalse(connections.crowded());
  }

  @Test
  void closesConnectionsWithoutARequest() {
    ConnectionState a = arrive("a");
    assertEquals(PATIENCE.toNanos(), connections.judge(a));
    now = now.plus(PATIENCE).minusNanos(1);
    assertEquals(1, connections.judge(a));
    now = now.plusNanos(1);
    assertEquals(0, connections.judge(a));
    assertEquals(List.of("a"), ended);
    assertEquals(1, closed("late"));
    assertEquals(0, having("waiting"));
  }

  @Test
  void theTimeoutRestartsWithAnAnswer() {
    ConnectionState a = arrive("a");
    connections.begin(a);
    now = now.plus(PATIENCE.multipliedBy(10));
    assertEquals(PATIENCE.toNanos(), connections.judge(a));
    connections.await(a);
    now = now.plusSeconds(10);
    assertEquals(PATIENCE.minusSeconds(10).toNanos(), connections.judge(a));
    assertEquals(List.of(), ended);
  }

  @Test
  void closesTheLargestWaitingHeadFirst() {
    ConnectionState busy = arrive("busy");
    connections.begin(busy);
    assertTrue(connections.heads(busy, 250));
    assertTrue(connections.heads(arrive("small"), 100));
    ConnectionState large = arrive("large");
    assertTrue(connections.heads(large, 150));
    assertFalse(connections.heads(large, 151));
    assertEquals(List.of("large"), ended);
    assertFalse(connections.heads(large, 1));
    assertTrue(connections.heads(busy, 400));
    assertFalse(connections.heads(busy, 401));
    assertEquals(List.of("large", "busy"), ended);
    assertEquals(2, closed("heads"));
  }

  @Test
  void headsCountUntilTheirConnectionIsClosed() {
    ConnectionState a = arrive("a");
    connections.heads(a, 400);
    assertTrue(connections.heads(arrive("b"), 150));
    assertEquals(List.of("a"), ended);
    assertTrue(connections.heads(arrive("c"), 300));
    assertFalse(connections.heads(arrive("d"), 200));
    assertEquals(List.of("a", "d"), ended);
    connections.leave(a);
    assertTrue(connections.heads(arrive("e"), 50));
    assertEquals(List.of("a", "d"), ended);
  }

  @Test
  void aSmallHeadIsAlwaysAccepted() {
    connections.heads(arrive("a"), 490);
    connections.heads(arrive("b"), 480);
    assertFalse(connections.heads(arrive("c"), 101));
    assertEquals(List.of("a", "c"), ended);
    assertTrue(connections.heads(arrive("d"), 100));
    assertEquals(List.of("a", "c", "b"), ended);
  }

  @Test
  void closesClientsThatDoNotReadAnswers() {
    ConnectionState a = arrive("a");
    connections.begin(a);
    connections.refuse(a);
    connections.leave(a);
    assertEquals(List.of("a"), ended);
    assertEquals(1, closed("unread"));
    assertEquals(0, having("busy"));
  }
}
