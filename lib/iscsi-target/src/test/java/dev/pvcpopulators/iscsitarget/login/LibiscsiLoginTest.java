package dev.pvcpopulators.iscsitarget.login;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.pdu.Digest;
import dev.pvcpopulators.iscsitarget.pdu.DigestGenerator;
import dev.pvcpopulators.iscsitarget.pdu.LogoutRequest;
import dev.pvcpopulators.iscsitarget.pdu.LogoutResponse;
import dev.pvcpopulators.iscsitarget.pdu.Opcode;
import dev.pvcpopulators.iscsitarget.pdu.PduFormat;
import dev.pvcpopulators.iscsitarget.pdu.PduFormat.SequenceNumbers;
import dev.pvcpopulators.iscsitarget.pdu.login.LoginRequest;
import dev.pvcpopulators.iscsitarget.pdu.login.TextRequest;
import dev.pvcpopulators.iscsitarget.pdu.login.TextResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests logins of libiscsi's tools. After a wrong Login Response, a tool does not continue.
@Tag("tools")
class LibiscsiLoginTest {
  private static final int TIMEOUT_MILLIS = 600_000;

  @TempDir private Path directory;

  private final FakeTargets targets = new FakeTargets();
  private ServerSocket portal = new ServerSocket();

  LibiscsiLoginTest() throws IOException {}

  @BeforeEach
  void listen() throws IOException {
    portal = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    portal.setSoTimeout(TIMEOUT_MILLIS);
  }

  @AfterEach
  void close() throws IOException {
    portal.close();
  }

  @Test
  void entersWithoutAuthentication() throws IOException {
    SessionParameters parameters = inquiryIsSent("", FakeTargets.OPEN, Map.of());
    assertEquals(Digest.NONE, parameters.headerDigest());
    assertEquals(Optional.empty(), parameters.user());
  }

  /// Uses QEMU, because libiscsi's tools have no option for the header digest.
  @Test
  void entersWithHeaderDigest() throws IOException {
    String image =
        "driver=iscsi,transport=tcp,lun=0,header-digest=crc32c,target="
            + FakeTargets.OPEN
            + ",portal=127.0.0.1:"
            + portal.getLocalPort();
    SessionParameters parameters =
        commandIsSent(Map.of(), "qemu-img", "info", "--image-opts", image);
    assertEquals(Digest.CRC32C, parameters.headerDigest());
    assertEquals("iqn.2008-11.org.linux-kvm", parameters.initiatorName());
  }

  @Test
  void entersWithChap() throws IOException {
    FakeTargets.FakeAccess access = targets.access(FakeTargets.CHAP);
    access.secrets.put(FakeTargets.USER, FakeTargets.secret("twelve-bytes-1"));
    SessionParameters parameters =
        inquiryIsSent(FakeTargets.USER + "%twelve-bytes-1@", FakeTargets.CHAP, Map.of());
    assertEquals(Optional.of(FakeTargets.USER), parameters.user());
  }

  @Test
  void entersWithMutualChap() throws IOException {
    FakeTargets.FakeAccess access = targets.access(FakeTargets.CHAP);
    access.secrets.put(FakeTargets.USER, FakeTargets.secret("twelve-bytes-1"));
    access.identity =
        Optional.of(new ChapIdentity("target-user", FakeTargets.secret("twelve-bytes-2")));
    SessionParameters parameters =
        inquiryIsSent(
            FakeTargets.USER + "%twelve-bytes-1@",
            FakeTargets.CHAP,
            Map.of(
                "LIBISCSI_CHAP_TARGET_USERNAME",
                "target-user",
                "LIBISCSI_CHAP_TARGET_PASSWORD",
                "twelve-bytes-2"));
    assertEquals(Optional.of(FakeTargets.USER), parameters.user());
  }

  @Test
  void listsTargets() throws IOException, InterruptedException {
    targets.listings.add(
        new TargetDirectory.Listing(FakeTargets.OPEN, List.of("192.0.2.1:3260", "192.0.2.2:3260")));
    Path output = directory.resolve("output");
    Process process =
        start(output, Map.of(), "iscsi-ls", "iscsi://127.0.0.1:" + portal.getLocalPort());
    try (Socket socket = portal.accept()) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      SessionParameters parameters = logIn(socket);
      assertEquals(SessionType.DISCOVERY, parameters.type());
      answerText(socket, parameters);
      answerLogout(socket, parameters);
      assertEquals(0, process.waitFor(), () -> read(output));
    } finally {
      process.destroyForcibly();
    }
    String told = read(output);
    assertTrue(told.contains(FakeTargets.OPEN), told);
    assertTrue(told.contains("192.0.2.1:3260,1"), told);
  }

  private SessionParameters inquiryIsSent(
      String user, String target, Map<String, String> environment) throws IOException {
    String url = "iscsi://" + user + "127.0.0.1:" + portal.getLocalPort() + "/" + target + "/0";
    return commandIsSent(environment, "iscsi-inq", url);
  }

  /// Starts an initiator and serves its login until the first SCSI command.
  private SessionParameters commandIsSent(Map<String, String> environment, String... command)
      throws IOException {
    Path output = directory.resolve("output");
    Process process = start(output, environment, command);
    try (Socket socket = portal.accept()) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      SessionParameters parameters = logIn(socket);
      ByteBuffer bhs = read(socket, PduFormat.BHS_LENGTH);
      assertEquals(Opcode.SCSI_COMMAND, PduFormat.opcode(bhs), () -> read(output));
      if (parameters.headerDigest() == Digest.CRC32C) {
        int digest = read(socket, PduFormat.DIGEST_LENGTH).getInt(0);
        assertEquals(digest, new DigestGenerator().update(bhs).finish(), "header digest");
      }
      return parameters;
    } finally {
      process.destroyForcibly();
    }
  }

  private SessionParameters logIn(Socket socket) throws IOException {
    LoginMachine machine =
        new LoginMachine(
            targets,
            socket.getInetAddress(),
            NegotiationLimits.defaults(),
            new SecureRandom(),
            () -> 1);
    while (true) {
      ByteBuffer bhs = read(socket, PduFormat.BHS_LENGTH);
      assertEquals(Opcode.LOGIN_REQUEST, PduFormat.opcode(bhs));
      LoginStep step = machine.step(LoginRequest.read(bhs), data(socket, bhs));
      ByteBuffer response = ByteBuffer.allocate(PduFormat.BHS_LENGTH);
      step.response().write(response, step.text().remaining());
      send(socket, response, step.text());
      switch (step) {
        case LoginStep.Continue _ -> {}
        case LoginStep.Refused refused -> throw new AssertionError(refused.reason());
        case LoginStep.Entered entered -> {
          return entered.parameters();
        }
      }
    }
  }

  private void answerText(Socket socket, SessionParameters parameters) throws IOException {
    ByteBuffer bhs = read(socket, PduFormat.BHS_LENGTH);
    assertEquals(Opcode.TEXT_REQUEST, PduFormat.opcode(bhs));
    TextRequest request = TextRequest.read(bhs);
    TextNegotiation negotiation = new TextNegotiation(parameters, targets, socket.getInetAddress());
    ByteBuffer text = negotiation.answer(data(socket, bhs));
    ByteBuffer response = ByteBuffer.allocate(PduFormat.BHS_LENGTH);
    new TextResponse(
            true,
            false,
            0,
            request.initiatorTaskTag(),
            PduFormat.NO_TAG,
            // An immediate request consumes no CmdSN.
            new SequenceNumbers(parameters.statSn(), request.cmdSn(), request.cmdSn() + 1))
        .write(response, text.remaining());
    send(socket, response, text);
  }

  private static void answerLogout(Socket socket, SessionParameters parameters) throws IOException {
    ByteBuffer bhs = read(socket, PduFormat.BHS_LENGTH);
    assertEquals(Opcode.LOGOUT_REQUEST, PduFormat.opcode(bhs));
    LogoutRequest request = LogoutRequest.read(bhs);
    ByteBuffer response = ByteBuffer.allocate(PduFormat.BHS_LENGTH);
    new LogoutResponse(
            LogoutResponse.CLOSED,
            request.initiatorTaskTag(),
            new SequenceNumbers(parameters.statSn() + 1, request.cmdSn(), request.cmdSn()),
            0,
            0)
        .write(response);
    send(socket, response, ByteBuffer.allocate(0));
  }

  private static ByteBuffer data(Socket socket, ByteBuffer bhs) throws IOException {
    int length = PduFormat.dataSegmentLength(bhs);
    return read(socket, PduFormat.padded(length)).limit(length);
  }

  private static ByteBuffer read(Socket socket, int length) throws IOException {
    byte[] bytes = socket.getInputStream().readNBytes(length);
    assertEquals(length, bytes.length, "bytes from the initiator");
    return ByteBuffer.wrap(bytes);
  }

  private static void send(Socket socket, ByteBuffer bhs, ByteBuffer text) throws IOException {
    byte[] pdu = new byte[PduFormat.BHS_LENGTH + PduFormat.padded(text.remaining())];
    bhs.get(0, pdu, 0, PduFormat.BHS_LENGTH);
    text.get(text.position(), pdu, PduFormat.BHS_LENGTH, text.remaining());
    socket.getOutputStream().write(pdu);
  }

  private static Process start(Path output, Map<String, String> environment, String... command)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().putAll(environment);
    return builder.start();
  }

  private static String read(Path output) {
    try {
      return Files.readString(output, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "no output: " + e;
    }
  }
}
