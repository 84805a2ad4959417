package dev.pvcpopulators.iscsitarget.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.ListeningConnector;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventQueue;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Counts the source files whose methods run for one READ(10), from the read of the socket to the
/// write of the Data-In PDU. A debugger records each method that the thread of the session enters.
class ReadPathTest {
  private static final int MOST_FILES = 34;
  private static final int DISK = 1024 * 1024;
  private static final Path SOURCES = Path.of("src/main/java");

  @Test
  void passesFewFiles(@TempDir Path directory) throws Exception {
    Path disk = Files.write(directory.resolve("disk"), new byte[DISK]);
    ListeningConnector connector =
        Bootstrap.virtualMachineManager().listeningConnectors().stream()
            .filter(each -> each.transport().name().equals("dt_socket"))
            .findFirst()
            .orElseThrow();
    Map<String, Connector.Argument> arguments = connector.defaultArguments();
    Objects.requireNonNull(arguments.get("localAddress")).setValue("127.0.0.1");
    String address = connector.startListening(arguments);
    Process server =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-agentlib:jdwp=transport=dt_socket,suspend=n,address=" + address,
                "-cp",
                System.getProperty("java.class.path"),
                FileServer.class.getName(),
                "0",
                disk.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      VirtualMachine debugged = connector.accept(arguments);
      Set<String> files = trace(debugged, server.inputReader());
      assertTrue(files.size() <= MOST_FILES, files.size() + " files: " + files);
    } finally {
      connector.stopListening(arguments);
      server.destroyForcibly().waitFor();
    }
  }

  private static Set<String> trace(VirtualMachine debugged, BufferedReader output)
      throws IOException {
    URI url = URI.create(output.readLine());
    InetSocketAddress portal =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), url.getPort());
    Set<String> files = new ConcurrentSkipListSet<>();
    try (RawInitiator initiator = RawInitiator.connect(portal)) {
      initiator.login("iqn.2026-01.test:a", FileServer.TARGET);
      initiator.clearAttentions(0);
      read(initiator);
      MethodEntryRequest entries = debugged.eventRequestManager().createMethodEntryRequest();
      entries.addClassFilter("dev.pvcpopulators.*");
      entries.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
      entries.enable();
      Thread.ofVirtual().name("traced").start(() -> note(debugged.eventQueue(), files));
      read(initiator);
      // After the answer to this last READ, all methods of the previous READ are recorded.
      read(initiator);
    }
    debugged.dispose();
    return files;
  }

  /// Records the source files of the methods that the thread of the session enters.
  private static void note(EventQueue events, Set<String> files) {
    try {
      while (true) {
        EventSet set = events.remove();
        for (Event event : set) {
          if (event instanceof MethodEntryEvent entry
              && entry.thread().name().matches("iscsi-[0-9]+")) {
            String type = entry.method().declaringType().name().replaceAll("\\$.*", "");
            String file = type.replace('.', '/') + ".java";
            if (Files.exists(SOURCES.resolve(file))) {
              files.add(file);
            }
          }
        }
        set.resume();
      }
    } catch (VMDisconnectedException _) { // the traced process has ended
    } catch (InterruptedException e) {
      throw new IllegalStateException("This thread is not interrupted", e);
    }
  }

  private static void read(RawInitiator initiator) throws IOException {
    assertEquals(0, initiator.answer(initiator.read10(0, 5, 2)).getLast().byteAt(3));
  }
}
