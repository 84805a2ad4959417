package dev.pvcpopulators.registry;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ImageConfigTest {
  private static final String HEX =
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

  @Test
  void readsStoredData() throws IOException {
    ImageConfig config =
        read(
            """
            {'created': '2015-10-31T22:22:56.015925234Z', 'author': 'x', 'architecture': 'arm64',
             'os': 'linux', 'variant': 'v8',
             'config': {'User': 'alice', 'ExposedPorts': {'8080/tcp': {}, '53/udp': {}},
                        'Env': ['PATH=/bin', 'A=B=C', ''], 'Entrypoint': ['/bin/app'],
                        'Cmd': ['--foreground', ''], 'Volumes': {'/v': {}, '/u': null}, 'WorkingDir': '/home',
                        'Labels': {'a': 'b', 'empty': ''}, 'StopSignal': 'SIGQUIT', 'Shell': 7},
             'rootfs': {'diff_ids': ['sha256:HEX', 'sha256:HEX'], 'type': 'layers'},
             'history': 'ignored'}
            """
                .replace("HEX", HEX));
    Digest digest = Digest.parse("sha256:" + HEX);
    assertEquals(
        new ImageConfig(
            new Platform("linux", "arm64", "v8"),
            List.of(digest, digest),
            List.of("PATH=/bin", "A=B=C", ""),
            Map.of("a", "b", "empty", ""),
            List.of("/bin/app"),
            List.of("--foreground", ""),
            "/home",
            "alice",
            List.of("/u", "/v"),
            List.of("53/udp", "8080/tcp"),
            "SIGQUIT"),
        config);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{'config':null,'rootfs':null}",
        "{'config':{'Env':null,'Labels':null,'Cmd':null,'User':null},'rootfs':{'diff_ids':null}}",
      })
  void takesDefaultsForWhatIsMissing(String text) throws IOException {
    ImageConfig config = read(text);
    assertEquals(
        new ImageConfig(
            new Platform("", "", ""),
            List.of(),
            List.of(),
            Map.of(),
            List.of(),
            List.of(),
            "",
            "",
            List.of(),
            List.of(),
            ""),
        config);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[] | expected an object",
        "'x' | expected an object",
        "{'os':7} | .os",
        "{'architecture':[]} | .architecture",
        "{'config':[]} | .config",
        "{'config':{'Env':'A=B'}} | .config.Env",
        "{'config':{'Env':[1]}} | .config.Env[0]",
        "{'config':{'Env':{}}} | .config.Env",
        "{'config':{'Labels':['a']}} | .config.Labels",
        "{'config':{'Labels':{'a':1}}} | .config.Labels[\"a\"]",
        "{'config':{'Cmd':'run'}} | .config.Cmd",
        "{'config':{'User':0}} | .config.User",
        "{'config':{'WorkingDir':{}}} | .config.WorkingDir",
        "{'config':{'Volumes':['/v']}} | .config.Volumes",
        "{'config':{'ExposedPorts':80}} | .config.ExposedPorts",
        "{'config':{'StopSignal':15}} | .config.StopSignal",
        "{'rootfs':'layers'} | .rootfs",
        "{'rootfs':{'diff_ids':{}}} | .rootfs.diff_ids",
        "{'rootfs':{'diff_ids':[1]}} | .rootfs.diff_ids[0]",
        "{'rootfs':{'diff_ids':['sha256:']}} | .rootfs.diff_ids[0]",
      })
  void refusesOtherTypes(String text, String message) {
    MalformedImageException thrown = assertThrows(MalformedImageException.class, () -> read(text));
    String found = String.valueOf(thrown.getMessage());
    assertTrue(found.contains(message), found);
  }

  @Test
  void boundsDiffIdsAndStrings() throws IOException {
    String digest = "'sha256:" + HEX + "'";
    assertEquals(
        RegistryLimits.LAYERS, read(diffIds(digest, RegistryLimits.LAYERS)).diffIds().size());
    assertThrows(
        MalformedImageException.class, () -> read(diffIds(digest, RegistryLimits.LAYERS + 1)));
    assertEquals(
        RegistryLimits.STRINGS, read(environment(RegistryLimits.STRINGS)).environment().size());
    assertThrows(
        MalformedImageException.class, () -> read(environment(RegistryLimits.STRINGS + 1)));
    assertThrows(UnsupportedFeatureException.class, () -> read(diffIds("'blake3:" + HEX + "'", 1)));
  }

  private static String diffIds(String digest, int count) {
    return "{'rootfs':{'diff_ids':[" + (digest + ",").repeat(count - 1) + digest + "]}}";
  }

  private static String environment(int count) {
    return "{'config':{'Env':[" + "'A',".repeat(count - 1) + "'A']}}";
  }

  private static ImageConfig read(String text) throws IOException {
    return ImageConfig.read(
        JsonValue.parse("configuration", text.replace('\'', '"').getBytes(UTF_8)));
  }
}
